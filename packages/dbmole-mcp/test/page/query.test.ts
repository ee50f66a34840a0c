import { readFileSync } from 'node:fs';
import { createTempFolder, type TempFolder } from '@dbmole/core/testing';
import { useChromium } from '@dbmole/engines';
import { findAccessProblems, openBrowser, type TestBrowser } from '@dbmole/page/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSql, useSqlite } from '../sqlite/sqlite-file.ts';
import { type ServedPage, servePage } from './page-rig.ts';

const chromium = useChromium();
const node = useSqlite(22);
let folder: TempFolder;
let served: ServedPage;
let browser: TestBrowser;

const hostile = `<img src=x onerror="document.title='run'"><script>document.title='run'</script> [x](javascript:alert(1)) \u001b[31m \u202Egnol`;
const exact = '{"id": 12345678901234567890123, "list": [1.10, null, "<b>x</b>"], "deep": {"a": {"b": true}}}';
const wide = Array.from({ length: 2_000 }, (_, index) => `c${index}`);
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const numbers = (count: number) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;

beforeAll(async () => {
  folder = createTempFolder();
  runSql(
    node(),
    folder.at('shop.db'),
    `create table orders (id integer primary key, note text, extra text, "Odd Name" text);
     insert into orders values (1, ${quote(hostile)}, ${quote(exact)}, 'a'), (2, null, '', 'NULL'), (3, replace(hex(zeroblob(2500000)), '0', 'x'), 'two' || char(10) || 'lines', 'c');
     create table wide (${wide.map((name) => `${name} int`).join()});
     insert into wide values (${wide.map((_, index) => index).join()});`,
  );
  const connections = [{ name: 'shop', type: 'sqlite', file: folder.at('shop.db') }];
  served = await servePage(folder, connections, { DBMOLE_NODE: node(), DBMOLE_EXPORT_DIR: folder.path });
  browser = await openBrowser(chromium());
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.stop();
  folder?.[Symbol.dispose]();
});

async function openPanel(options?: Parameters<TestBrowser['open']>[0]) {
  const opened = await browser.open(options);
  const { page } = opened;
  await page.goto(await served.link());
  await page.getByRole('link', { name: 'Query' }).click();
  const editor = page.getByRole('textbox', { name: 'SQL statement' });
  await editor.waitFor();
  const run = async (sql: string) => {
    // Not `fill`: the browser itself would give the text a style, which the policy refuses.
    await editor.press('Control+A');
    await editor.press('Delete');
    await page.keyboard.insertText(sql);
    await editor.press('Control+Enter');
  };
  const cell = (row: number, column: number) =>
    page.locator(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${column + 1}"]`);
  return { ...opened, editor, run, cell, grid: page.getByRole('grid') };
}

async function endLook(page: Parameters<typeof findAccessProblems>[0], problems: readonly string[]): Promise<void> {
  expect(problems).toEqual([]);
  expect(await findAccessProblems(page)).toEqual([]);
}

it('completes names, shows hostile values as text, and a cell in full', async () => {
  const { page, context, problems, editor, run, cell, grid } = await openPanel();
  await editor.click();
  await page.keyboard.type('select o.odd from orders o where o.');
  await page.getByRole('option', { name: 'Odd Name' }).waitFor();
  await editor.press('Escape');
  await run('select * from orders order by id');
  await cell(1, 2).getByText('<img src=x').waitFor();
  expect(await cell(1, 2).innerText()).toContain('⟦U+202E⟧gnol');
  const texts = [cell(2, 2), cell(2, 3), cell(2, 4)].map((one) => one.innerText());
  expect(await Promise.all(texts)).toEqual(['NULL', 'empty', 'NULL']);
  expect(await Promise.all([2, 4].map((column) => cell(2, column).locator('.none').count()))).toEqual([1, 0]);
  expect(await grid.getAttribute('aria-rowcount')).toBe('4');
  await cell(1, 3).dblclick();
  const pane = page.getByRole('region', { name: 'Chosen cell' });
  await pane.getByText('12345678901234567890123').waitFor();
  await pane.getByText('list:').click();
  await pane.getByText('1.10').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[role=grid]:focus').waitFor();
  await cell(3, 2).dblclick();
  await pane.getByRole('button', { name: 'Read it in full' }).click();
  await expect.poll(async () => (await pane.locator('pre').innerText()).length).toBeGreaterThanOrEqual(300_000);
  expect(await page.locator('img, main script').count()).toBe(0);
  expect(await page.title()).not.toBe('run');
  await endLook(page, problems);
  await context.close();
});

it('reads on while it is scrolled, with the visible rows and columns alone as elements', async () => {
  const { page, context, problems, run, cell, grid } = await openPanel({
    viewport: { width: 360, height: 640 },
    colorScheme: 'dark',
  });
  await run(`${numbers(3_000)} select i, 'label ' || i as label from n order by i`);
  await cell(1, 1).waitFor();
  await grid.focus();
  const scroll = async () => {
    await grid.press('Control+End');
    return await grid.getAttribute('aria-rowcount');
  };
  await expect.poll(scroll, { timeout: 60_000 }).toBe('3001');
  await grid.press('Control+End');
  await expect.poll(() => cell(3_000, 1).count()).toBe(1);
  expect(await page.locator('.grid-row').count()).toBeLessThan(80);
  await grid.press('Control+Home');
  await cell(1, 1).getByText('1', { exact: true }).waitFor();
  await run('select * from wide');
  await cell(1, 1).getByText('0', { exact: true }).waitFor();
  await grid.press('End');
  await cell(1, 2_000).getByText('1999', { exact: true }).waitFor();
  expect(await page.getByRole('gridcell').count()).toBeLessThan(100);
  expect(await grid.getAttribute('aria-colcount')).toBe('2001');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await endLook(page, problems);
  await context.close();
});

it('refuses what agents may not run, cancels, copies, exports, and remembers', async () => {
  const { page, context, problems, run, cell, grid } = await openPanel();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await run('delete from orders');
  await page.getByRole('alert').getByText('Next:').waitFor();
  await run(`${numbers(1_000_000_000)} select count(*) from n`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The statement was cancelled.').waitFor();
  await run('select id, "Odd Name" from orders order by id');
  await cell(1, 1).click();
  await grid.press('Shift+ArrowRight');
  await grid.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByText('Copied 2 rows as JSON.').waitFor();
  const copied = JSON.parse(String(await page.evaluate('navigator.clipboard.readText()'))) as unknown;
  expect(copied).toEqual([
    { id: '1', 'Odd Name': 'a' },
    { id: '2', 'Odd Name': 'NULL' },
  ]);
  await page.getByText('Export all rows to a file').click();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('Exported 3 rows of 2 columns').waitFor();
  expect(readFileSync(folder.at('result.csv'), 'utf8')).toContain('1,a\r\n');
  await page.getByText('History of this page: 3').click();
  expect(await page.getByRole('listitem').filter({ hasText: 'cancelled' }).count()).toBe(1);
  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByRole('row').filter({ hasText: 'delete from orders' }).getByText('refused').waitFor();
  await page.getByRole('row').filter({ hasText: '1000000000' }).getByText('cancelled', { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
