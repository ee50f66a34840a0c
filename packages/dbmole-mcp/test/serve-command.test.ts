import { describeServe } from '@dbmole/core/testing';
import { bin } from './bin.ts';

describeServe({ name: 'dbmole-mcp', file: bin, envVar: 'DBMOLE_CONNECTIONS', connection: { type: 'postgres', user: 'someone' } });
