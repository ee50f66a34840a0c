const commandOfTool = {
  list_connections: 'list',
  add_connection: 'add NAME URL',
  update_connection: 'update NAME KEY=VALUE',
  remove_connection: 'remove NAME',
  test_connection: 'test NAME',
} as const;

/** A hint is written for whoever calls tools; a person in a terminal has commands instead. Lists of tools are left alone. */
export function formatPersonHint(hint: string, program: string): string {
  const named = Object.entries(commandOfTool).reduce((text, [tool, command]) => {
    const written = `\`${program} connections ${command}\``;
    return text
      .replace(new RegExp(`\\bCall ${tool}\\b`, 'g'), () => `Run ${written}`)
      .replace(new RegExp(`\\bcall ${tool}\\b`, 'g'), () => `run ${written}`)
      .replace(new RegExp(`\\bwith ${tool}\\b`, 'g'), () => `with ${written}`);
  }, hint);
  return named.replace(/\b([Cc])all again\b/g, (_, first) => (first === 'C' ? 'Run it again' : 'run it again'));
}
