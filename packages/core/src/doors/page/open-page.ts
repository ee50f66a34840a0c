import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import type { App, ServerDefinition } from '../../program/app.ts';
import type { PagePart } from '../../program/page/page-part.ts';
import type { PageHandler } from '../http/page-handler.ts';
import { PageAccess } from './page-access.ts';
import { PageDoor, type PageDoorOptions } from './page-door.ts';
import type { ListSnippets } from './parts/connections-part.ts';

interface PagePlace extends Pick<PageDoorOptions, 'address' | 'limits'> {
  root: string;
  stateFolder: string;
  listSnippets: ListSnippets;
}

/** The page of a server. Its parts are loaded when it is first opened. */
export function openPage<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  app: App<C, B>,
  { root, stateFolder, address, limits, listSnippets }: PagePlace,
): PageHandler {
  const { name, version } = definition.program;
  const tools = app.openView({ origin: { door: 'page' } });
  const openParts = async (): Promise<readonly PagePart[]> => {
    const [{ createLivePart }, { ApprovalDesk }, { createHealthPart }, { createConnectionsPart }, { createToolsPart }] =
      await Promise.all([
        import('./parts/live-part.ts'),
        import('./parts/approvals-part.ts'),
        import('./parts/health-part.ts'),
        import('./parts/connections-part.ts'),
        import('./parts/tools-part.ts'),
      ]);
    const own = (await definition.openPageParts?.({ ...app, toolServer: tools })) ?? [];
    const live = app.live === undefined ? [] : [createLivePart(app.live)];
    const approvals = definition.program.approves ? [new ApprovalDesk(app.approvals).part] : [];
    const health = tools.definitions.some((tool) => tool.name === 'diagnose') ? [createHealthPart()] : [];
    const { registry, manager } = app;
    const connections = createConnectionsPart({
      ...{ program: name, registry, manager, listSnippets },
      views: definition.connections,
    });
    return [...live, ...approvals, ...health, connections, createToolsPart(tools), ...own];
  };
  const access = new PageAccess({ stateFolder, root });
  return new PageDoor({ server: { name, version, root }, openParts, tools, access, address, limits, log: app.log });
}
