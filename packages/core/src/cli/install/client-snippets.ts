import { formatNewFile } from './client-file.ts';
import { clients, findStart } from './clients.ts';
import { canUseUrl, writeRemoteEntry } from './remote-entry.ts';

interface SnippetServer {
  /** The name of the program, and its name in the files of clients. */
  name: string;
  app: string;
  /** Where the browser finds MCP. */
  url: string;
  signsIn: boolean;
}

/** What one client needs to use this server. */
interface ClientSnippet {
  id: string;
  title: string;
  /** The command that writes it. */
  command: string;
  /** The file in a project; empty where the client has none. */
  projectFile: string;
  text: string;
  /** What is left for the person to do. */
  advice: string;
}

/** For each client, a configuration file with nothing but this server: at its URL, or as a program where the client takes no URL. */
export function listClientSnippets({ name, app, url, signsIn }: SnippetServer): ClientSnippet[] {
  const address = { url, isOwn: true, isRunning: true };
  return clients.map((client) => {
    const { id, title, afterwards, projectFile = '' } = client;
    const usesUrl = canUseUrl(client);
    const { entry, advice } = usesUrl
      ? writeRemoteEntry(client, { name, app, address, signsIn, isReadonly: false })
      : {
          entry: client.entry(findStart(name, [], process)),
          advice: 'It takes no URL, so it starts a process of its own, whose calls are not on this page.',
        };
    const command = `npx ${name} install ${id}${usesUrl ? ' --http' : ''}${usesUrl && signsIn ? ' --sign-in' : ''}`;
    return { id, title, command, projectFile, text: formatNewFile(client, app, entry), advice: `${advice} ${afterwards}` };
  });
}
