import { render } from 'preact';
import { App } from './app.tsx';
import { PageStore } from './store.ts';

/** The code of the link is used at once and does not stay in the address or in the history. */
function takeCode(): string | undefined {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(undefined, '', location.pathname);
  return code;
}

const place = document.getElementById('page');
if (place !== null) {
  const store = new PageStore();
  render(<App store={store} />, place);
  void store.follow(takeCode());
}
