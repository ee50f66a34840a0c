import { describeHttpAccess } from '@dbmole/core/testing';
import { bin } from './bin.ts';

describeHttpAccess({ file: bin, writing: ['add_connection', 'update_connection', 'remove_connection'] });
