import { describeEras, describeServerLife } from '@dbmole/core/testing';
import { bin } from './bin.ts';

const connection = { type: 'elasticsearch', scheme: 'http', auth: 'none' };

describeServerLife({ name: 'esmole-mcp', file: bin, envVar: 'ESMOLE_CONNECTIONS', connection });
describeEras({ name: 'esmole-mcp', file: bin, storeVar: 'ESMOLE_STORE' });
const variables = { ESMOLE_SHARED: '1', ESMOLE_IDLE: '2s' };
describeEras({ name: 'esmole-mcp', file: bin, storeVar: 'ESMOLE_STORE', variables });
