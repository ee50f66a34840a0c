import { describeGuardOnNode } from './node-suite.ts';
import { withoutModules } from './unanswered.ts';

describeGuardOnNode({
  id: 'elasticsearch9',
  short: 'es9',
  unanswered: [
    ...withoutModules,
    'GET /_security/_authenticate',
    'GET /_security/api_key',
    'GET /_security/privilege/_builtin',
    'GET /_security/{security}[/{name}]',
    'GET /_security/user/_privileges',
    'GET POST /_security/user/_has_privileges',
  ],
});
