// The least a server can be: the floor that the start is measured against.
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
    const { id } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })}\n`);
  }
});
