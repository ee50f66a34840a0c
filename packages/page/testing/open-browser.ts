import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** A browser of its own for one test file. */
export interface TestBrowser {
  /** A new profile, without cookies. `problems` are errors of its pages: exceptions, refused resources, policies that were broken. */
  open(options?: Look): Promise<OpenProfile>;
  close(): Promise<void>;
}

interface Look {
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
}

interface OpenProfile {
  context: BrowserContext;
  page: Page;
  problems: string[];
}

/** Longer than anything on a busy machine; what is awaited comes at once on another. */
const patienceMs = 30_000;

export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  // In a container Chromium has no sandbox of its own, and little shared memory.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  const browser: Browser = await chromium.launch({ executablePath, args, headless: true, timeout: 2 * patienceMs });
  return {
    async open({ colorScheme = 'light', viewport = { width: 1280, height: 800 } } = {}) {
      const context = await browser.newContext({ colorScheme, viewport, locale: 'en-US', timezoneId: 'UTC' });
      context.setDefaultTimeout(patienceMs);
      const problems: string[] = [];
      context.on('weberror', (error) => problems.push(String(error.error())));
      context.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      return { context, page: await context.newPage(), problems };
    },
    close: () => browser.close(),
  };
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe-core finds wrong with the page as it is now: rules with the elements that break them. */
export async function findAccessProblems(page: Page): Promise<string[]> {
  // The policy of the page lets no other script in, so this one comes through the debugger.
  const source = (await import('node:fs')).readFileSync(axePath, 'utf8');
  await page.evaluate(source);
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
  return Array.isArray(found) ? found.map(String) : [String(found)];
}
