import { describeGuardOnNode } from './node-suite.ts';
import { withoutModules } from './unanswered.ts';

describeGuardOnNode({
  id: 'elasticsearch8',
  short: 'es8',
  security: true,
  unanswered: [...withoutModules],
});
