import { fileURLToPath } from 'node:url';
import { describeLibrary } from '@dbmole/core/testing';

describeLibrary({
  file: fileURLToPath(new URL('../dist/library.js', import.meta.url)),
  creates: 'createEsmole',
  app: 'esmole',
  connection: { name: 'logs', url: 'http://reader:secret-of-reader@127.0.0.1:1' },
});
