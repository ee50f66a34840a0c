import { describeEras, describeServerLife } from '@dbmole/core/testing';
import { bin } from './bin.ts';

const connection = { type: 'postgres', user: 'nobody' };

describeServerLife({ name: 'dbmole-mcp', file: bin, envVar: 'DBMOLE_CONNECTIONS', connection });
describeEras({ name: 'dbmole-mcp', file: bin, storeVar: 'DBMOLE_STORE' });
