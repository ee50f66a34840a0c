import { fileURLToPath } from 'node:url';
import { runFront } from '@dbmole/core/shared-front';
import { demoFlag, exportSetting, passwordVariables } from './options.ts';

declare const PACKAGE_VERSION: string;

/** Whether a process that is shared serves this client. The server itself is not loaded for it. */
export function joinShared(file: string): Promise<boolean> {
  return runFront({
    name: 'dbmole-mcp',
    version: typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : '0.0.0',
    app: 'dbmole',
    file: fileURLToPath(file),
    settings: [exportSetting],
    flags: [demoFlag],
    opensFiles: true,
    urlVariable: 'DATABASE_URL',
    variables: passwordVariables,
  });
}
