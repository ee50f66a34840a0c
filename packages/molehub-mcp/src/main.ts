/**
 * The program's first file: small, and old syntax only, so that a Node that is too old says so instead of failing to parse.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`molehub-mcp needs Node 20.19 or later; this is ${process.version}.\n`);
  process.exitCode = 1;
} else {
  const mayShare = process.argv.includes('--shared') || Boolean(process.env.MOLEHUB_SHARED);
  if (!mayShare || !(await (await import('./shared-front.ts')).joinShared(import.meta.url))) {
    const { main } = await import('./start.ts');
    await main();
  }
}
