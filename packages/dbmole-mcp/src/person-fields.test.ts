import { describePersonFields } from '@dbmole/core/testing';
import { leaf } from './server.ts';

describePersonFields({
  leaf,
  connection: { name: 'shop', type: 'postgres', host: 'db.internal', user: 'reader' },
  taken: ['database', 'tls'],
  harmless: ['tls.mode', 'tls.serverName'],
});
