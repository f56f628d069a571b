/** The process of the raw client: its own worker and clients on the same server, and no line of the product. */
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createRawOperations } from './operations.ts';
import type { RawAnswer, RawPlace, RawRequest } from './protocol.ts';

const { address, namespace, taskQueue } = JSON.parse(process.argv[2] ?? '') as RawPlace;
const logger = new DefaultLogger('WARN');
Runtime.install({ logger, shutdownSignals: [] });
const nativeConnection = await NativeConnection.connect({ address });
const connection = await Connection.connect({ address });
const worker = await Worker.create({
  connection: nativeConnection,
  namespace,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities: { echo: async (text: string) => text },
});
const operations = createRawOperations({
  plain: new Client({ connection, namespace }),
  eager: new Client({ connection: nativeConnection, namespace }),
  taskQueue,
});

const send = (answer: RawAnswer | { ready: true }): void => void process.send?.(answer);

process.on('message', ({ id, name, options }: RawRequest) => {
  (operations as Record<string, (options: unknown) => Promise<unknown>>)[name]?.(options).then(
    (result) => send({ id, result }),
    (error: unknown) => send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// The bench ends this process by letting go of it.
process.once('disconnect', () => worker.shutdown());
send({ ready: true });
await worker.run();
await connection.close();
await nativeConnection.close();
