import { describePersonFields } from '@dbmole/core/testing';
import { leaf } from './server.ts';

describePersonFields({
  leaf,
  connection: { name: 'logs', type: 'elasticsearch', host: 'es.internal', auth: 'none' },
  taken: ['apiKey', 'auth', 'caFingerprint', 'cloudId', 'scheme', 'verifyTls'],
  harmless: ['pathPrefix'],
});
