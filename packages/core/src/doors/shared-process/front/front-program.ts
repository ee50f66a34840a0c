import type { ProgramFlag, ProgramSetting } from '../../../program/settings.ts';

/** What a front knows of its program without loading it. */
export interface FrontProgram {
  /** The name of the program. */
  name: string;
  version: string;
  /** Names the configuration folder, the project file and, in capitals, the variables. */
  app: string;
  /** The path of the program's first file, which starts a process. */
  file: string;
  /** Settings and flags of its own, beside those that every server of connections has. */
  settings: readonly ProgramSetting[];
  flags: readonly ProgramFlag[];
  /** The command line takes the path of a file where it takes a URL. */
  opensFiles?: boolean;
  /** A variable that may hold the URL of a connection. */
  urlVariable: string;
  /** Variables that the program or its drivers read without being told to. */
  variables: RegExp;
  /** Present in a program without connections, which has only its own options, and other names for its files. */
  other?: {
    /** The person's own file, in the configuration folder. */
    store: string;
    /** The project's file, below the project's folder. */
    project: string;
    /** Matches a configuration whose programs for secrets may use any variable. */
    usesAny: RegExp;
  };
}
