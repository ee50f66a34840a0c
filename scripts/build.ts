import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatDeclarations } from './bundle/declarations.ts';
import { root, runStep } from './steps.ts';

/** Builds the leaves named on the command line, or all. */
const leaves = process.argv.length > 2 ? process.argv.slice(2) : ['dbmole-mcp', 'esmole-mcp', 'molehub-mcp'];
for (const leaf of leaves) {
  const built = runStep({ name: `build ${leaf}`, command: ['tsup', '--config', `packages/${leaf}/tsup.config.ts`] });
  if (!built) process.exit(1);
  const isLibrary = existsSync(join(root, 'packages', leaf, 'src', 'library.ts'));
  if (isLibrary) writeFileSync(join(root, 'packages', leaf, 'dist', 'library.d.ts'), formatDeclarations(leaf, root));
  copyFileSync(join(root, 'LICENSE'), join(root, 'packages', leaf, 'LICENSE'));
}
