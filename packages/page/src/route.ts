import { useEffect, useState } from 'preact/hooks';

/** The parts of the address behind `#/`, decoded: the id of a panel and what follows. */
export function useRoute(): readonly string[] {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const update = () => setRoute(readRoute());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return route;
}

function readRoute(): readonly string[] {
  const text = location.hash.startsWith('#/') ? location.hash.slice(2) : '';
  try {
    return text.split('/').map(decodeURIComponent);
  } catch {
    // An address that someone has changed by hand.
    return [];
  }
}
