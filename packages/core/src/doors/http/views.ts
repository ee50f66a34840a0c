import type { Narrowing } from '../../program/narrowing.ts';
import type { ToolServer } from '../../tools/tool-server.ts';
import { mayWrite, type Principal } from './authenticate.ts';

/** A view holds no connection of its own, but remembers where its caller's names lead. */
const maxViews = 256;

/** What the endpoint needs of one client's tools. Without `call`, every call goes through the SDK. */
export type ServedTools = Pick<ToolServer, 'connect' | 'definitions'> & Partial<Pick<ToolServer, 'call'>>;

export interface View {
  /** Equal for requests that share a view. */
  key: string;
  toolServer: ServedTools;
}

/** Opens one view for each principal and narrowing, and keeps those that were used last. */
export function createViews(openView: (narrowing: Narrowing) => ServedTools) {
  const views = new Map<string, View>();
  return (principal: Principal, asked: Narrowing): View => {
    const narrowing: Narrowing = mayWrite(principal) ? asked : { ...asked, readonly: true, onlyReadingTools: true };
    const { readonly = false, onlyReadingTools = false, connections } = narrowing;
    const key = JSON.stringify([principal.id, readonly, onlyReadingTools, connections]);
    const view = views.get(key) ?? { key, toolServer: openView(narrowing) };
    // Moved to the end: the first is the one that was not used for the longest time.
    views.delete(key);
    views.set(key, view);
    const [oldest] = views.keys();
    if (views.size > maxViews && oldest !== undefined) views.delete(oldest);
    return view;
  };
}
