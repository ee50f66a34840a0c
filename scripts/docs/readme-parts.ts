import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findVariable, serverFlags, serverSettings, stdioFlags } from '../../packages/core/src/program/settings.ts';
import { root } from '../steps.ts';
import { clientBlocks } from './clients-page.ts';
import { leaves, type ShownLeaf } from './leaves.ts';
import { toolTable } from './tools-page.ts';

/** A page that a person writes, with parts between markers that the code writes. */
export function withParts(file: string): string {
  const shown = leaves.filter((leaf) => file === 'README.md' || file.includes(`/${leaf.name}/`));
  const docs = file === 'README.md' ? 'docs' : '../../docs';
  const parts: Readonly<Record<string, () => string>> = {
    clients: () => clientBlocks(shown, `${docs}/clients.md`),
    options: () => optionTable(shown),
    tools: () => toolTables(shown, `${docs}/tools.md`),
  };
  const text = readFileSync(join(root, file), 'utf8');
  return text.replace(/(<!-- (\w+): written by `npm run docs` -->\n)[\s\S]*?(<!-- end -->)/g, (all, begin, name, end) => {
    const part = parts[name];
    return part === undefined ? all : `${begin}${part()}\n${end}`;
  });
}

function toolTables(shown: readonly ShownLeaf[], page: string): string {
  if (shown.length === 1) return toolTable(shown, page);
  return shown.map((leaf) => `\`${leaf.name}\`:\n\n${toolTable([leaf], page)}`).join('\n\n');
}

/** Every option has a twin in the environment, as `--help` says. */
function optionTable(shown: readonly ShownLeaf[]): string {
  const buildRows = ({ app, settings = [], flags = [] }: ShownLeaf) => [
    ...[...serverSettings, ...settings].map(({ name, value, help }) => ({ form: `--${name} ${value}`, name, help, app })),
    ...[...serverFlags, ...flags, ...Object.values(stdioFlags)].map(({ name, help }) => ({ form: `--${name}`, name, help, app })),
  ];
  const byForm = new Map<string, { help: string; variables: string[] }>();
  for (const { form, name, help, app } of shown.flatMap(buildRows)) {
    const variables = byForm.get(form)?.variables ?? [];
    byForm.set(form, { help, variables: [...variables, `\`${findVariable(app, name)}\``] });
  }
  const rows = [...byForm].map(([form, { help, variables }]) => `| \`${form}\` | ${variables.join(', ')} | ${help} |`);
  return `| option | variable | what |\n|---|---|---|\n${rows.join('\n')}`;
}
