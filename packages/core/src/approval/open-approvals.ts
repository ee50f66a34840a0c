import { stateFolderFor } from '../registry/sources/paths.ts';
import { Approvals } from './approvals.ts';
import { PendingStore } from './pending-store.ts';

interface ApprovalPlace {
  cwd: string;
  storePath: string;
  given?: { isAll: boolean } | undefined;
}

/** What a program brings along by itself is not there for a command of the person. */
export function openApprovals(
  { name, approves }: { name: string; approves?: boolean },
  { cwd, storePath, given }: ApprovalPlace,
): Approvals {
  const pending = given?.isAll || !approves ? undefined : new PendingStore(stateFolderFor(storePath));
  return new Approvals({ command: `${name} approve`, cwd, pending });
}
