import { describe, expect, it } from 'vitest';
import { mapUris, parseHubUri, toHubUri } from './resource-uris.ts';

describe('the URIs of resources', () => {
  it.each([
    ['notes', 'file:///a/b.txt'],
    ['notes', 'demo://x?q=1#part'],
    ['a/b c%', 'demo://resource/{id}{?page}'],
    ['üñ', 'molehub://inner/demo://x'],
  ])('of server %j lead back to it: %j', (server, uri) => {
    expect(parseHubUri(toHubUri(server, uri))).toEqual({ server, uri });
  });

  it('are URIs, and keep the text of a template', () => {
    expect(toHubUri('a b', 'demo://x/{id}')).toBe('molehub://a%20b/demo://x/{id}');
    expect(new URL(toHubUri('a b', 'demo://x/1')).href).toBe('molehub://a%20b/demo://x/1');
  });

  it('are left alone where they lead into the web', () => {
    expect(toHubUri('notes', 'HTTPS://example.com/a')).toBe('HTTPS://example.com/a');
  });

  it.each(['file:///a', 'molehub://', 'molehub://notes', 'molehub://%zz/demo://x'])(
    'that the hub has not made are none of its own: %j',
    (text) => {
      expect(parseHubUri(text)).toBeUndefined();
    },
  );

  it('are mapped in every part of a result that holds one, and nothing else is touched', () => {
    const link = { type: 'resource_link', uri: 'demo://1', name: 'one' };
    const embedded = { type: 'resource', resource: { uri: 'demo://2', text: 'demo://2' }, annotations: { priority: 1 } };
    const text = { type: 'text', text: 'demo://1' };
    const mappedLink = { ...link, uri: 'molehub://s/demo://1' };
    const mappedEmbedded = { ...embedded, resource: { uri: 'molehub://s/demo://2', text: 'demo://2' } };
    expect(mapUris({ content: [link, embedded, text, 7], structuredContent: { uri: 'demo://1' }, extra: 1 }, 's')).toEqual({
      content: [mappedLink, mappedEmbedded, text, 7],
      structuredContent: { uri: 'demo://1' },
      extra: 1,
    });
    expect(mapUris({ contents: [{ uri: 'demo://1', blob: 'AA==' }, null] }, 's')).toEqual({
      contents: [{ uri: 'molehub://s/demo://1', blob: 'AA==' }, null],
    });
    const messages = [{ role: 'user', content: embedded }, { role: 'user', content: [link] }, 'odd'];
    expect(mapUris({ messages }, 's').messages).toEqual([
      { role: 'user', content: mappedEmbedded },
      { role: 'user', content: [mappedLink] },
      'odd',
    ]);
    expect(mapUris({ odd: true }, 's')).toEqual({ odd: true });
  });
});
