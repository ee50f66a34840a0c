import type { ObjectName, Routine, View } from './guard-queries.ts';
import { toFoldedKey, toKey } from './known-objects.ts';

interface RoutineText {
  readonly routine: Routine;
  /** Empty where the account may not see it. */
  readonly text: string;
}

/** The texts of the views and functions that one statement leads to, as the guard has just read them. */
export class DependencyTexts {
  readonly #views = new Map<string, string>();
  readonly #routines = new Map<string, RoutineText[]>();

  addView(view: View): void {
    this.#views.set(toKey(view), view.definition);
  }

  addRoutine(routine: Routine, text: string): void {
    const key = toFoldedKey(routine);
    this.#routines.set(key, [...(this.#routines.get(key) ?? []), { routine, text }]);
  }

  findView(name: ObjectName): string | undefined {
    return this.#views.get(toKey(name));
  }

  findRoutines(names: readonly ObjectName[]): RoutineText[] {
    return [...new Set(names.map(toFoldedKey))].flatMap((key) => this.#routines.get(key) ?? []);
  }
}
