import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { allow, disallow } from '../cli/commands/allow.ts';
import { loadQueries } from '../program/load-queries.ts';
import { failureOf } from '../testing/failure-of.ts';
import { createFakeTerminal } from '../testing/fakes/fake-terminal.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import type { QueryKind } from './loaded-queries.ts';
import type { QueryLibrary } from './query-library.ts';

const kind: QueryKind = {
  extension: '.txt',
  comments: ['#'],
  keys: [],
  hasNativeTypes: false,
  hasPatterns: false,
  load: async () => ({ argumentsFor: () => ({}), checkBody: () => [], example: { params: [], body: '' } }),
};
const definition = { program: { app: 'thing', name: 'thing-mcp' }, queries: kind };

const folder = useTempFolder();
const project = (...parts: string[]) => folder.at('work', '.thing', 'queries', ...parts);
const own = (...parts: string[]) => folder.at('.config', 'thing', 'queries', ...parts);
const text = (name: string, more = '') => `# tool: ${name}\n# description: It is.\n${more}\ngo`;

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const terminalAt = (answers: string[] = []) =>
  createFakeTerminal({ folder: folder.at('work'), answers, env: { XDG_CONFIG_HOME: folder.at('.config') } });

async function open(named?: string): Promise<QueryLibrary> {
  const settings = { queries: named };
  const loaded = await loadQueries(definition, { ...terminalAt(), settings });
  return loaded?.library ?? expect.fail('there is a folder');
}

async function runAllow(answers = ['yes']) {
  const terminal = terminalAt(answers);
  const code = await allow({ definition, terminal, words: [], options: {} });
  return { code, printed: terminal.printed };
}

const find = async (library: QueryLibrary, name: string) => library.find(name);
const states = (library: QueryLibrary) => library.read().map(({ name, state }) => `${name} ${state}`);
const namesOf = (library: QueryLibrary) => library.ready().map(({ name }) => name);

beforeEach(() => mkdirSync(folder.at('work')));

describe('the folders of saved queries', () => {
  it('are not looked into where there are none', async () => {
    const unused: QueryKind = { ...kind, load: () => expect.fail('nothing is loaded') };
    expect(await loadQueries({ ...definition, queries: unused }, terminalAt())).toBeUndefined();
  });

  it('have to exist where they are named', async () => {
    await expect(open(folder.at('nothing'))).rejects.toThrow(/the folder .*nothing of --queries does not exist/);
  });

  it('give a name to the own folder first, then to a named one, then to the project', async () => {
    write(own('a.txt'), text('first', '# param a integer: x'));
    write(folder.at('named', 'a.txt'), text('first'));
    write(folder.at('named', 'b.txt'), text('second'));
    write(project('a.txt'), text('second'));
    await runAllow();
    const library = await open(folder.at('named'));
    expect(states(library)).toEqual(['first ready', 'first shadowed', 'second ready', 'second shadowed']);
    expect(library.find('first').query.params).toHaveLength(1);
    expect(library.read()[1]?.problem).toContain('has the same name and comes first');
  });

  it('keep a name for a file that is broken or switched off, and offer the others', async () => {
    write(own('a.txt'), text('one', '# limit x\n# param'));
    write(own('b.txt'), text('two', '# enabled: false'));
    write(own('c.txt'), text('three', '# timeout: soon'));
    write(own('d.txt'), text('four'));
    write(folder.at('named', 'b.txt'), text('two'));
    write(folder.at('named', 'c.txt'), text('three'));
    const library = await open(folder.at('named'));
    expect(namesOf(library)).toEqual(['one', 'four']);
    expect(() => library.find('two')).toThrow(/two is switched off in .*b\.txt/);
    expect(() => library.find('three')).toThrow(/three cannot be used .*c\.txt\): line 3: invalid timeout "soon"/);
    expect(await failureOf(find(library, 'fuor'))).toMatchObject({ kind: 'unknown', nearest: ['four'] });
  });

  it('are read again, and a file that was corrected is there at once', async () => {
    write(own('a.txt'), 'nothing');
    const library = await open();
    expect(states(library)).toEqual(['undefined broken']);
    write(own('a.txt'), text('one'));
    write(own('b.txt'), text('two'));
    expect(states(library)).toEqual(['one ready', 'two ready']);
    rmSync(own(), { recursive: true });
    expect(states(library)).toEqual([]);
  });
});

describe('the saved queries of a project', () => {
  it('count only after allow, which shows each one', async () => {
    write(project('a.txt'), text('one', '# when: \u200bx'.replace('\u200b', '')));
    write(project('b.txt'), text('two'));
    const library = await open();
    expect(states(library)).toEqual(['one not allowed', 'two not allowed']);
    expect(await failureOf(find(library, 'one'))).toMatchObject({ code: 'E_NOT_ALLOWED' });
    expect(await runAllow(['no'])).toMatchObject({ code: 1 });
    expect(namesOf(library)).toEqual([]);
    const { code, printed } = await runAllow();
    expect(code).toBe(0);
    expect(printed).toContain('2 saved queries not allowed yet');
    expect(printed).toContain('a.txt (new)\n  | # tool: one\n');
    expect(namesOf(library)).toEqual(['one', 'two']);
    expect((await runAllow([])).printed).toContain('no saved query is new or changed');
  });

  it('stop counting when they change, and allow says what is new', async () => {
    write(project('a.txt'), text('one'));
    write(project('b.txt'), text('two'));
    await runAllow();
    const library = await open();
    write(project('a.txt'), text('one', '# when: later'));
    write(project('c.txt'), text('three'));
    expect(states(library)).toEqual(['one not allowed', 'two ready', 'three not allowed']);
    const { printed } = await runAllow();
    expect(printed).toContain('a.txt (changed since it was allowed)');
    expect(printed).toContain('c.txt (new)');
    expect(printed).toContain('1 allowed as they are');
    expect(printed).not.toContain('tool: two');
    expect(namesOf(library)).toEqual(['one', 'two', 'three']);
  });

  it('are as they were when a file that was allowed comes back, and not when it moves', async () => {
    write(project('a.txt'), text('one'));
    await runAllow();
    const library = await open();
    renameSync(project('a.txt'), project('b.txt'));
    expect(states(library)).toEqual(['one not allowed']);
    renameSync(project('b.txt'), project('a.txt'));
    expect(states(library)).toEqual(['one ready']);
  });

  it('no longer count after disallow', async () => {
    write(project('a.txt'), text('one'));
    await runAllow();
    const library = await open();
    const terminal = terminalAt();
    expect(await disallow({ definition, terminal, words: [] })).toBe(0);
    expect(terminal.printed).toContain('1 saved query no longer allowed');
    expect(namesOf(library)).toEqual([]);
  });

  it('never write, and cannot be allowed to', async () => {
    write(project('a.txt'), text('one', '# effect: write'));
    const { code, printed } = await runAllow();
    expect(code).toBe(1);
    expect(printed).toContain('cannot be allowed: line 3: effect: write is accepted only in your own queries folder');
    expect(namesOf(await open())).toEqual([]);
  });

  it('have to be allowed also where --queries names their folder', async () => {
    write(project('a.txt'), text('one'));
    expect(states(await open(project()))).toEqual(['one not allowed']);
  });

  it('cannot take a name from an own query by being there first', async () => {
    write(project('a.txt'), text('one'));
    write(folder.at('named', 'a.txt'), text('one', '# when: mine'));
    expect((await open(folder.at('named'))).find('one').query.when).toBe('mine');
  });
});

describe('hostile files', () => {
  const outside = () => folder.at('secret.txt');
  const hostile: Readonly<Record<string, () => void>> = {
    'a link to a file outside': () => symlinkSync(outside(), project('x.txt')),
    'a link to a file of the folder': () => symlinkSync(project('good.txt'), project('x.txt')),
    'a link to itself': () => symlinkSync(project('x.txt'), project('x.txt')),
    'a folder with the ending of a file': () => mkdirSync(project('x.txt')),
    'a file of 300 kB': () => write(project('x.txt'), text('big_one', `\n${'x'.repeat(300_000)}`)),
    'bytes that are not UTF-8': () => write(project('x.txt'), Buffer.from([0xff, 0xfe, 0x00])),
    'UTF-16': () => write(project('x.txt'), Buffer.from(`\ufeff${text('wide_one')}`, 'utf16le')),
    'a NUL in the name': () => write(project('x.txt'), text('a\u0000b')),
    'an escape character in the description': () => write(project('x.txt'), '# tool: x_y\n# description: \u001b[2J\ngo'),
    'a reversed text': () => write(project('x.txt'), '# tool: x_y\n# description: \u202egnp\ngo'),
    'letters in tags': () => write(project('x.txt'), '# tool: x_y\n# description: a\u{e0041}\ngo'),
    'a zero-width space in the statement': () => write(project('x.txt'), text('x_y', '\ngo\u200b')),
    'a name with a line break': () => write(project('x.txt'), '# tool: x\r# tool: y\n# description: x\ngo'),
    'a name with a path': () => write(project('x.txt'), text('../../x')),
    'a name of 1000 characters': () => write(project('x.txt'), text('x'.repeat(1_000))),
    'a name with other letters': () => write(project('x.txt'), text('cust\u043emer')),
    'an empty name': () => write(project('x.txt'), text('')),
    'an empty file': () => write(project('x.txt'), ''),
    'a header without an end': () => write(project('x.txt'), '# tool: x_y\n# description: x'),
    'a thousand parameters': () =>
      write(project('x.txt'), text('x_y', Array.from({ length: 1_000 }, (_, i) => `# param p${i} text: x`).join('\n'))),
    'a parameter called __proto__': () => write(project('x.txt'), text('x_y', '# param __proto__ text: x')),
    'a parameter called constructor': () => write(project('x.txt'), text('x_y', '# param constructor text: x')),
    'a parameter called connection': () => write(project('x.txt'), text('x_y', '# param connection text: x')),
    'two parameters of one name': () => write(project('x.txt'), text('x_y', '# param a text: x\n# param a text: y')),
    'a description of 10 kB': () => write(project('x.txt'), `# tool: x_y\n# description: ${'x'.repeat(10_000)}\ngo`),
    'a header of 100000 lines': () => write(project('x.txt'), text('x_y', '# a\n'.repeat(60_000))),
    'a description that is continued without an end': () =>
      write(project('x.txt'), `# tool: x_y\n# description: x\n${'#   more\n'.repeat(20_000)}go`),
    'a timeout of a week': () => write(project('x.txt'), text('x_y', '# timeout: 10080m')),
    'a timeout that is no number': () => write(project('x.txt'), text('x_y', '# timeout: 1e9s')),
    'an effect of its own': () => write(project('x.txt'), text('x_y', '# effect: admin')),
    'an effect to write': () => write(project('x.txt'), text('x_y', '# effect: write')),
    'two effects': () => write(project('x.txt'), text('x_y', '# effect: read\n# effect: write')),
    'a hundred choices too many': () =>
      write(project('x.txt'), text('x_y', `# param a one of ${Array.from({ length: 200 }, (_, i) => i).join(', ')}: x`)),
    'a type of an engine': () => write(project('x.txt'), text('x_y', '# param a text); drop: x')),
  };
  const cases = Object.keys(hostile);

  beforeEach(() => {
    write(outside(), text('stolen_one', '# when: the secret is s3cr3t'));
    write(project('good.txt'), text('good_one'));
  });

  it.each(cases)('leave the others alone and are never offered: %s', async (name) => {
    hostile[name]?.();
    const { printed } = await runAllow();
    const library = await open();
    expect(namesOf(library)).toEqual(['good_one']);
    expect(library.read()).toHaveLength(2);
    expect(printed).not.toContain('s3cr3t');
    expect(printed).not.toMatch(new RegExp(`[${['\u0000-\u0008', '\u001b', '\u202e', '\u200b'].join('')}]`));
  });

  it('outside cannot be reached through a link in place of the folder', async () => {
    write(folder.at('other', 'x.txt'), text('stolen_one'));
    rmSync(project(), { recursive: true });
    symlinkSync(folder.at('other'), project());
    expect((await runAllow()).code).toBe(1);
    expect(namesOf(await open())).toEqual([]);
  });

  it('outside cannot be reached through a link in place of the parent of the folder', async () => {
    write(folder.at('other', 'queries', 'x.txt'), text('stolen_one'));
    rmSync(folder.at('work', '.thing'), { recursive: true });
    symlinkSync(folder.at('other'), folder.at('work', '.thing'));
    expect((await runAllow()).code).toBe(1);
    expect(namesOf(await open())).toEqual([]);
  });

  it('hostile files that replace an allowed one by a link do not count, whatever the link leads to', async () => {
    await runAllow();
    const library = await open();
    expect(namesOf(library)).toEqual(['good_one']);
    write(folder.at('same.txt'), text('good_one'));
    unlinkSync(project('good.txt'));
    symlinkSync(folder.at('same.txt'), project('good.txt'));
    expect(namesOf(library)).toEqual([]);
  });

  it('hostile files that are swapped between the question and the answer are not allowed', async () => {
    const terminal = terminalAt();
    const swapped = {
      ...terminal,
      ask: async () => {
        write(project('good.txt'), text('good_one', '# when: it was swapped'));
        return 'yes';
      },
    };
    await allow({ definition, terminal: swapped, words: [], options: {} });
    expect(states(await open())).toEqual(['good_one not allowed']);
  });

  it('hostile files in subfolders are not read, and thousands of them have a limit', async () => {
    write(project('deep', 'x.txt'), text('deep_one'));
    symlinkSync(project(), project('loop'));
    for (let i = 0; i < 1_200; i++) writeFileSync(project(`n${i}.txt`), '');
    const library = await open();
    expect(library.read()).toHaveLength(1_001);
    expect(library.read().at(-1)?.problem).toContain('201 files more than 1000');
  });

  it('files in an own folder may be links, which people who keep their files elsewhere use', async () => {
    mkdirSync(own(), { recursive: true });
    symlinkSync(outside(), own('x.txt'));
    expect(namesOf(await open())).toContain('stolen_one');
  });
});
