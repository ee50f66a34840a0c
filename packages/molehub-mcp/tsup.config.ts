import { leafConfig } from '../../scripts/tsup-config.ts';

export default leafConfig({ name: 'molehub-mcp' });
