/** Settings that decide what names and literals mean, which code is loaded, or whether the server writes compiled code into files. */
export const decisiveSettings: ReadonlySet<string> = new Set([
  ...['role', 'session_authorization', 'search_path', 'standard_conforming_strings', 'backslash_quote', 'client_encoding'],
  ...['dynamic_library_path', 'session_replication_role', 'local_preload_libraries', 'seed'],
  'jit_dump_bitcode',
]);

/** Settings of languages name code that runs when the language is first used, such as `pltcl.start_proc` and `plperl.on_init`. */
const ofLanguage = /^pl(?:tclu?|perlu?|python[23]?u?|v8|coffee|ls|r|java|lua|rust|sh|php|ruby|dotnet|go|js|mruby|container)\./;

export function isDecisive(setting: string): boolean {
  const name = setting.toLowerCase();
  return decisiveSettings.has(name) || ofLanguage.test(name);
}
