/** An object out of an engine's JSON, of which nothing is known beforehand. */
export class JsonObject {
  readonly value: Record<string, unknown>;

  constructor(value: unknown) {
    // Any object may be read by name; what is under a name is looked at before it is used.
    this.value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  }

  text(name: string): string | undefined {
    const value = this.value[name];
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.value[name];
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }

  texts(name: string): string[] {
    const value = this.value[name];
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  }

  object(name: string): JsonObject {
    return new JsonObject(this.value[name]);
  }

  objects(name: string): JsonObject[] {
    const value = this.value[name];
    return Array.isArray(value) ? value.map((item) => new JsonObject(item)) : [];
  }

  has(name: string): boolean {
    return this.value[name] !== undefined;
  }
}
