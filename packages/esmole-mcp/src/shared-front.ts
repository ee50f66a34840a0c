import { fileURLToPath } from 'node:url';
import { runFront } from '@dbmole/core/shared-front';
import { exportSetting } from './options.ts';

declare const PACKAGE_VERSION: string;

/** Whether a process that is shared serves this client. The server itself is not loaded for it. */
export function joinShared(file: string): Promise<boolean> {
  return runFront({
    name: 'esmole-mcp',
    version: typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : '0.0.0',
    app: 'esmole',
    file: fileURLToPath(file),
    settings: [exportSetting],
    flags: [],
    urlVariable: 'ELASTICSEARCH_URL',
    variables: /^(?:ELASTIC|OPENSEARCH)/,
  });
}
