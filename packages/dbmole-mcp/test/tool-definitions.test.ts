import { fileURLToPath } from 'node:url';
import { describeToolDefinitions } from '@dbmole/core/testing';
import { leaf } from '../src/server.ts';

describeToolDefinitions({
  leaf,
  folder: fileURLToPath(new URL('./tool-definitions', import.meta.url)),
  // What a client gets is 8,000 bytes at most, with what the protocol puts around the tools.
  budgetBytes: 7_900,
});
