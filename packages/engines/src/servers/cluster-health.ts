import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { EngineAddress } from '../engine.ts';

/** Yellow is as good as it gets: a single node never places the replicas of a default index. */
export function isClusterUp(address: EngineAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const request = (address.scheme === 'https' ? httpsRequest : httpRequest)({
      host: address.host,
      port: address.port,
      path: '/_cluster/health?wait_for_status=yellow&timeout=2s',
      ...(address.user !== '' && { auth: `${address.user}:${address.password}` }),
      // It is our own child on loopback, and a test may want it to show the certificate of another host.
      rejectUnauthorized: false,
      agent: false,
      timeout: 5_000,
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
    request.on('response', (response) => {
      text(response).then(
        (body) => resolve(/"status":"(green|yellow)"/.test(body)),
        () => resolve(false),
      );
    });
    request.end();
  });
}
