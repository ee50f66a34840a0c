import { fileURLToPath } from 'node:url';
import { describeToolDefinitions } from '@dbmole/core/testing';
import { definition } from '../src/server.ts';

describeToolDefinitions({
  definition,
  folder: fileURLToPath(new URL('./tool-definitions', import.meta.url)),

  budgetBytes: 8_500,
});
