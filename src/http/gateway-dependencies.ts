import type { OperationDependencies } from '../a2a/operations/operations.ts';
import type { A2ASurface } from '../a2a/surface.ts';
import type { ParkedWebhooks } from '../operator/parked-webhooks.ts';
import type { HttpConfiguration } from '../config/configuration.ts';
import type { Logger } from '../observability/logger.ts';
import type { ArtifactStore } from '../storage/artifact-store.ts';

/** All that the two applications are made of: TaskWorkflows, the configuration, and what follows. */
export interface GatewayDependencies extends Pick<OperationDependencies, 'tasks' | 'service'> {
  readonly surface: A2ASurface;
  /** Push notifications, as operators see them. */
  readonly deliveries: ParkedWebhooks;
  readonly artifacts: ArtifactStore;
  /** Rejects when a store has gone away. */
  readonly checkStores: () => Promise<void>;
  readonly http: HttpConfiguration;
  readonly logger: Logger;
}
