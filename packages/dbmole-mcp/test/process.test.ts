import { describeEras, describeServerLife } from '@dbmole/core/testing';
import { bin } from './bin.ts';

const connection = { type: 'postgres', user: 'someone' };

describeServerLife({ name: 'dbmole-mcp', file: bin, envVar: 'DBMOLE_CONNECTIONS', connection });
describeEras({ name: 'dbmole-mcp', file: bin, storeVar: 'DBMOLE_STORE' });
const variables = { DBMOLE_SHARED: '1', DBMOLE_IDLE: '2s' };
describeEras({ name: 'dbmole-mcp', file: bin, storeVar: 'DBMOLE_STORE', variables });
