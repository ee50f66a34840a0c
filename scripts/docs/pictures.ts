/**
 * `npm run pictures`: the pictures of the page in docs/, of the built server with the sample shop in SQLite and an agent whose change waits.
 * Needs Chromium. A picture is written only under the size that the documentation allows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder, openHttpClient } from '../../packages/core/src/testing/index.ts';
import { createShopFile } from '../../packages/dbmole-mcp/src/demo/sqlite/shop-file.ts';
import { servePage } from '../../packages/dbmole-mcp/test/page/page-rig.ts';
import { openNode } from '../../packages/engines/src/fetch/node-runtime.ts';
import { openChromium } from '../../packages/engines/src/servers/chromium.ts';
import { openBrowser, type TestBrowser } from '../../packages/page/testing/open-browser.ts';
import { root, runStep } from '../steps.ts';

const maxBytes = 150_000;

if (!runStep({ name: 'build dbmole-mcp', command: ['tsx', 'scripts/build.ts', 'dbmole-mcp'] })) process.exit(1);

// SQLite is in newer versions of Node than the one that may run this.
const node = await openNode(24);
process.env.DBMOLE_NODE = node;
using folder = createTempFolder();
const shop = createShopFile(() => undefined);
const file = await shop.open(new AbortController().signal);
const connection = { name: 'shop', type: 'sqlite', file, environment: 'production', description: 'the shop, orders since 2024' };
const served = await servePage(folder, [connection], { DBMOLE_NODE: node });
const browser = await openBrowser(await openChromium());
const agent = await openHttpClient('current, older era', served.server);
try {
  await takePictures(browser);
} finally {
  await agent.close();
  await browser.close();
  await served.stop();
  await shop.dispose();
}

async function takePictures({ open }: TestBrowser): Promise<void> {
  const { page } = await open({ viewport: { width: 1280, height: 640 } });
  await page.goto(await served.link());
  await page.getByText('connected', { exact: true }).waitFor();
  await callTools();
  const waiting = agent.call('execute', {
    connection: 'shop',
    sql: `update orders set status = 'cancelled' where status = 'pending' and total > 400`,
  });
  await page.getByRole('article').or(page.getByText('1 waiting')).first().waitFor();
  const shoot = async (name: string, panel: string, colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme });
    await page.getByRole('link', { name: panel }).click();
    await page.getByRole('heading', { level: 1, name: panel }).waitFor();
    if (panel === 'Live') await page.getByRole('row').filter({ hasText: 'group by' }).getByRole('link').click();
    if (panel === 'Health') {
      await page.getByRole('button', { name: /^Run/ }).click();
      await page.getByRole('region', { name: 'Checks' }).getByRole('link', { name: 'indexes', exact: true }).click();
      await page.getByRole('region', { name: 'Chosen check' }).getByText('indexes:').waitFor();
    }
    // The temporary folder of this machine says nothing to a reader.
    await page.evaluate('document.querySelector(".root").textContent = "~/work/shop"');
    // Nothing is in the picture because the pointer or the keyboard was there last.
    await page.mouse.move(0, 0);
    await page.evaluate('document.activeElement?.blur()');
    write(name, await page.screenshot({ animations: 'disabled' }));
  };
  await shoot('approvals-light', 'Approvals', 'light');
  await shoot('live-dark', 'Live', 'dark');
  await shoot('health-light', 'Health', 'light');
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('button', { name: 'Decline' }).click();
  await waiting;
}

/** What an agent does before it changes something. */
async function callTools(): Promise<void> {
  const call = async (tool: string, args: object) => void (await agent.call(tool, { connection: 'shop', ...args }));
  await call('list_tables', {});
  await call('describe_table', { tables: ['orders', 'customers'] });
  await call('query', {
    sql: 'select status, count(*) as orders, sum(total) as total from orders group by status order by orders desc',
  });
  await call('query', { sql: `select id, placed_at, total from orders where status = 'pending' order by placed_at limit 20` });
  await call('query', { sql: 'select * from order_itms limit 5' });
  await call('execute', { sql: 'delete from customers', dry_run: true });
}

function write(name: string, picture: Buffer): void {
  const path = join('docs', 'pictures', `${name}.png`);
  if (picture.length > maxBytes) throw new Error(`${path} has ${picture.length} bytes: expected at most ${maxBytes}`);
  writeFileSync(join(root, path), picture);
  console.log(`${path}: ${picture.length} bytes`);
}
