import { UrlError } from '../../connection-url.ts';
import { escapeText, findPlaceholders } from '../secrets/expand.ts';
import { type Fields, mapStrings } from '../tree.ts';

/** The fields that a URL holds, as they are stored. Variables in it remain variables, and nothing else becomes one. */
function splitUrl(url: string, parse: (url: string) => object): Fields | undefined {
  const placeholders = [...new Set(findPlaceholders(url))];
  const mark = (index: number) => `xvariable${index}x`;
  const marked = placeholders.reduce((text, one, index) => text.replaceAll(one, mark(index)), url);
  const restore = (text: string) =>
    placeholders.reduce((done, one, index) => done.replaceAll(mark(index), one), escapeText(text));
  try {
    // Strings change into strings and the outermost value stays an object.
    return mapStrings(parse(marked), restore) as Fields;
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}

interface UrlRules {
  reader: { parseUrl?: ((url: string) => object) | undefined };
}

/**
 * A stored connection, ready for a change of some of its fields. A field that its URL holds replaces that part of the URL, so the URL
 * becomes fields; a new URL replaces the fields that it holds.
 */
export function unfoldUrl(raw: Fields, patch: Fields, { reader: { parseUrl } }: UrlRules): Fields {
  const url = 'url' in patch ? patch.url : raw.url;
  if (parseUrl === undefined || typeof url !== 'string') return raw;
  const held = splitUrl(url, parseUrl);
  if (held === undefined) return raw;
  if ('url' in patch) return Object.fromEntries(Object.entries(raw).filter(([key]) => !Object.hasOwn(held, key)));
  if (!Object.keys(patch).some((key) => Object.hasOwn(held, key))) return raw;
  const { url: _split, ...others } = raw;
  return { ...others, ...held };
}
