import { Failure } from '@dbmole/core';
import { textsWithin } from './walk.ts';

/** Puts in the text of another template, which some builds take for a file or an address; a change of what stands for the braces hides it. */
const including = /\{\{\{?\s*[<>=]/;

/** A template is filled in with values, and with nothing that lies on the server. */
export function checkMustache(template: unknown): void {
  for (const text of textsWithin(template)) {
    if (!including.test(text)) continue;
    throw new Failure('refused', 'the template has {{>, {{< or {{=, which can make it read files of the server', {
      code: 'E_NOT_A_READ',
      hint: 'Write out what it includes; {{name}}, {{#name}} and {{^name}} are allowed.',
    });
  }
}
