import type { ProgramSetting } from '@dbmole/core';

/** An option of this server alone, in a file of its own for the front of `--shared`, which loads nothing else of it. */
export const exportSetting: ProgramSetting = {
  name: 'export-dir',
  value: 'DIR',
  help: 'let es_export create files in DIR',
  isPath: true,
};
