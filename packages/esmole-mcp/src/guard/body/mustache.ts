import { Failure } from '@dbmole/core';
import { textsWithin } from './walk-json.ts';

/** Includes another template, which some builds read from a file or an address, or changes the delimiters, which would hide an inclusion. */
const including = /\{\{\{?\s*[<>=]/;

/** Refuses a template that includes anything from the server. */
export function checkMustache(template: unknown): void {
  for (const text of textsWithin(template)) {
    if (!including.test(text)) continue;
    throw new Failure('refused', 'the template has {{>, {{< or {{=, which can make it read files of the server', {
      code: 'E_NOT_A_READ',
      hint: 'Write the included text itself; {{name}}, {{#name}} and {{^name}} are allowed.',
    });
  }
}
