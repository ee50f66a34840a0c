import type { ComponentType } from 'preact';

/** The server behind the page. */
export interface ServerInfo {
  name: string;
  version: string;
  /** The folder of the project. */
  root: string;
  /** Another value after the server was started again. */
  run: string;
  /** The parts of the server, by id. */
  parts: readonly string[];
}

export interface PanelProps<State> {
  server: ServerInfo;
  /** What the reducer of the panel made of the events of its part; undefined before the first one. */
  state: State | undefined;
  /** What follows the id of the panel in the address, such as the id of a call in `#/live/3f2a`. Decoded, without the panel. */
  path: readonly string[];
}

/**
 * A panel of the page. It is shown where the server has a part of the same id. `load` imports the component, which is a chunk of its own;
 * the rest is in the first view and has to be small.
 */
export interface Panel<State = unknown> {
  readonly id: string;
  readonly title: string;
  load(): Promise<ComponentType<PanelProps<State>>>;
  /** Takes an event of the part, also while another panel is shown. Returns a new state. */
  reduce?(state: State | undefined, event: object): State;
  /** How many things wait for the person; shown beside the title of the panel and of the page. */
  countWaiting?(state: State | undefined): number;
}

/** A list holds panels with states of all types; only the panel itself ever sees its own. */
export function definePanel<State>(panel: Panel<State>): Panel {
  return panel as Panel;
}

/** The address of a panel, or of something in it. */
export function linkTo(panel: string, ...path: readonly string[]): string {
  return `#/${[panel, ...path].map(encodeURIComponent).join('/')}`;
}
