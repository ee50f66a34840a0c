import { useState } from 'preact/hooks';

/** Copies a text. `what` completes the name of the button, for those who hear it without its place. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState('');
  const copy = () => {
    // Browsers have a clipboard for safe addresses only.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
    written.then(
      () => setSaid('Copied.'),
      () => setSaid('The browser gives no clipboard to this address: select the text.'),
    );
  };
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={copy}>
        Copy<span class="hidden"> {what}</span>
      </button>{' '}
      <span role="status">{said}</span>
    </span>
  );
}
