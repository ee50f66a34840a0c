import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createModernServer } from './modern-server.ts';

serveStdio(createModernServer);
