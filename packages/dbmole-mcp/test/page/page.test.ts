import { gzipSync } from 'node:zlib';
import { createTempFolder, openHttpClient, type TempFolder } from '@dbmole/core/testing';
import { useChromium, useEngine } from '@dbmole/engines';
import { findAccessProblems, openBrowser, type TestBrowser } from '@dbmole/page/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type ServedPage, servePage } from './page-rig.ts';

const engine = useEngine('postgres18', { shared: true });
const chromium = useChromium();
let account: Account;
let folder: TempFolder;
let served: ServedPage;
let browser: TestBrowser;
const direct = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);
const values = async () => (await direct('select a from things order by id')).flat().join();

/** Markup, a link that would run, an order of a terminal, and marks that turn the direction of a text. */
const hostile = `<img src=x onerror="document.title='run'"> [x](javascript:alert(1)) \u001b[31mred\u001b[0m \u202Egnol`;

beforeAll(async () => {
  folder = createTempFolder();
  account = await createAccount(engine(), 'page');
  await direct('create table things (id int primary key, a int, note text)');
  await direct(`insert into things values (1, 1, $$${hostile}$$), (2, 1, 'x'), (3, 1, 'y')`);
  served = await servePage(folder, [{ ...account, name: 'prod', environment: 'production' }]);
  browser = await openBrowser(chromium());
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.stop();
  folder?.[Symbol.dispose]();
});

async function withAgent<T>(work: (agent: Awaited<ReturnType<typeof openHttpClient>>) => Promise<T>): Promise<T> {
  const agent = await openHttpClient('current, older era', served.server);
  try {
    return await work(agent);
  } finally {
    await agent.close();
  }
}

async function openSignedIn(options?: Parameters<TestBrowser['open']>[0]) {
  const opened = await browser.open(options);
  await opened.page.goto(await served.link());
  await opened.page.getByText('connected', { exact: true }).waitFor();
  return opened;
}

it('is opened by a link that works once, and is signed out without one', async () => {
  const [first, second] = [await browser.open(), await browser.open()];
  const link = await served.link();
  const files: Promise<number>[] = [];
  first.page.on('response', (response) => {
    // What the page asks for with POST may never end.
    if (response.request().method() === 'GET') files.push(response.body().then((body) => gzipSync(body).length));
  });
  await first.page.goto(link);
  await first.page.getByText('connected', { exact: true }).waitFor();
  const sizes = await Promise.all(files);
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(250_000);
  expect(new URL(first.page.url()).hash).toBe('');
  const [cookie] = await first.context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/ui', name: `mole-page-${new URL(link).port}` });
  await second.page.goto(link);
  await second.page.getByText('The link was not accepted: this link was used before, or has expired.').waitFor();
  expect(await findAccessProblems(second.page)).toEqual([]);
  expect(first.problems).toEqual([]);
  await Promise.all([first.context.close(), second.context.close()]);
});

it('shows the calls of agents as they happen, and nothing in them runs', async () => {
  const { page, context, problems } = await openSignedIn();
  await page.getByText('No calls yet.').waitFor();
  await withAgent(async (agent) => {
    await agent.call('query', { connection: 'prod', sql: 'select note from things where id = 1' });
    await agent.call('query', { connection: 'prod', sql: `select '${hostile.replaceAll("'", "''")}' as mark from nothing_here` });
  });
  const rows = page.getByRole('row');
  await rows.filter({ hasText: 'select note from things' }).getByText('ok', { exact: true }).waitFor();
  await rows
    .filter({ hasText: 'E_UNKNOWN_NAME' })
    .or(rows.filter({ hasText: 'nothing_here' }))
    .first()
    .waitFor();
  await rows.filter({ hasText: 'select note from things' }).getByRole('link').click();
  const details = page.getByRole('region', { name: 'Chosen call' });
  await details.getByText('<img src=x').first().waitFor();
  const text = await details.innerText();
  expect(text).toContain('⟦U+001B⟧[31mred');
  expect(text).toContain('⟦U+202E⟧gnol');
  expect(text).toContain('"tool": "query"');
  expect(['\u001b', '\u202e'].filter((mark) => text.includes(mark))).toEqual([]);
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).not.toBe('run');
  expect(await findAccessProblems(page)).toEqual([]);
  await page.getByRole('searchbox').fill('nothing_here');
  await expect.poll(() => rows.filter({ hasText: 'select note' }).count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

it('pauses, and cancels a call that runs', async () => {
  const { page, context } = await openSignedIn();
  await withAgent(async (agent) => {
    const slow = agent.call('query', { connection: 'prod', sql: 'select pg_sleep(60)' });
    const row = page.getByRole('row').filter({ hasText: 'pg_sleep' });
    await row.getByText('running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await row.getByRole('link').click();
    await page.getByRole('button', { name: 'Cancel this call' }).click();
    expect((await slow).text).toContain('cancelled by the user');
    await page.getByRole('region', { name: 'Chosen call' }).getByText('cancelled, E_CANCELLED').waitFor();
    await row.getByText('running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await row.getByText('cancelled', { exact: true }).waitFor();
  });
  await context.close();
});

it('lets a person approve and decline changes while the agent waits, in any of its tabs', async () => {
  await direct('update things set a = 1');
  const { page, context, problems } = await openSignedIn();
  await page.getByRole('link', { name: 'Approvals' }).click();
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByText('Nothing waits.').waitFor();
  const change = page.getByRole('article');
  await withAgent(async (agent) => {
    const execute = (sql: string) => agent.call('execute', { connection: 'prod', sql });
    const approved = execute('update things set a = 2 where id < 3');
    await change.getByText('UPDATE things: 2 rows').waitFor();
    expect(await change.innerText()).toContain('a 1 → 2');
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    expect(await findAccessProblems(page)).toEqual([]);
    await other.getByRole('button', { name: 'Approve' }).click();
    expect((await approved).text).toContain('Confirmed by the user on the page');
    await change.waitFor({ state: 'detached' });
    expect(await values()).toBe('2,2,1');
    const declined = execute(`update things set note = $$${hostile}$$`);
    await page.getByLabel('Reason to decline, which the agent reads').fill('only id 1, please');
    await page.getByRole('button', { name: 'Decline' }).click();
    expect((await declined).text).toContain('the user declined: "only id 1, please"');
    await page.getByText(/^\S+ execute .*: declined$/).waitFor();
  });
  expect(problems).toEqual([]);
  await context.close();
});

it('measures and runs a change that was refused until a person confirms it', async () => {
  await direct('update things set a = 1');
  await withAgent(async (agent) => {
    const { text } = await agent.call('execute', { connection: 'prod', sql: 'update things set a = 5 where id = 2' });
    expect(text).toContain('E_APPROVAL_NEEDED');
  });
  const { page, context } = await openSignedIn();
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('button', { name: 'Measure and show it' }).click();
  await page.getByRole('article').getByText('Commit this on prod').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(values).toBe('1,5,1');
  await page.getByText('Nothing waits.').waitFor();
  await context.close();
});

it('shows what is wrong with a database, worst first, and each finding with what to do', async () => {
  await direct(`create table "<b>no key</b> \u202Egnol" (a int)`);
  const { page, context, problems } = await openSignedIn();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('link', { name: 'Health' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Run the checks' }).press('Enter');
  const checks = page.getByRole('region', { name: 'Checks' }).getByRole('listitem');
  const words = ['high', 'medium', 'low', 'failed', 'not available', 'ok'];
  await checks.first().waitFor();
  const ranks = (await checks.locator('.state').allInnerTexts()).map((word) => words.indexOf(word));
  expect(ranks).toHaveLength(9);
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  expect(ranks).not.toContain(-1);
  await checks.getByRole('link', { name: 'indexes', exact: true }).press('Enter');
  const finding = page.getByRole('article').filter({ hasText: '<b>no key</b> ⟦U+202E⟧gnol' }).first();
  await finding.getByRole('button', { name: 'Copy' }).press('Enter');
  await finding.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await finding.locator('pre').innerText());
  expect(await findAccessProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Run again' }).press('Enter');
  await expect.poll(() => page.getByRole('region', { name: 'History' }).getByRole('listitem').count()).toBe(2);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 640 });
  expect(await findAccessProblems(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(await page.locator('b').count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

it('shows each connection without secrets, tests it, and has what clients need', async () => {
  const { page, context, problems } = await openSignedIn();
  await page.getByRole('link', { name: 'Connections' }).focus();
  await page.keyboard.press('Enter');
  const card = page.getByRole('article', { name: 'prod' });
  await card.getByText('production', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Test' }).press('Enter');
  await card.getByText('prod answers').waitFor();
  const clients = page.getByRole('region', { name: 'Clients' });
  await clients.getByLabel('Client').selectOption('codex');
  await clients.getByText('[mcp_servers.dbmole]').waitFor();
  expect(await clients.innerText()).toContain(`${new URL(page.url()).origin}/mcp`);
  expect(await findAccessProblems(page)).toEqual([]);
  await clients.getByLabel('Client').selectOption('claude-desktop');
  await clients.getByText('npx dbmole-mcp install claude-desktop').waitFor();
  expect(await page.content()).not.toContain(account.password);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 640 });
  expect(await findAccessProblems(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(problems).toEqual([]);
  await context.close();
});

it('finds the server again after a restart, and says so', async () => {
  const { page, context } = await openSignedIn({ viewport: { width: 360, height: 640 }, colorScheme: 'dark' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(await findAccessProblems(page)).toEqual([]);
  await served.restart();
  await page.getByText('The server was started again.').waitFor();
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await context.close();
});
