import { describeServe } from '@dbmole/core/testing';
import { bin } from './bin.ts';

describeServe({
  name: 'esmole-mcp',
  file: bin,
  envVar: 'ESMOLE_CONNECTIONS',
  connection: { type: 'elasticsearch', scheme: 'http', auth: 'none' },
});
