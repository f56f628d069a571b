/** The one frozen configuration: environment, flags and `a2a.yaml`, parsed once. Modules receive the few values that they use. */
import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../domain/json.ts';
import type { Publication } from '../domain/pipeline.ts';

export interface Configuration {
  /** Absolute path of `a2a.yaml`. */
  readonly configPath: string;
  /** What `a2a.yaml` and the files that it names say. */
  readonly service: ServiceConfiguration;
  readonly http: HttpConfiguration;
  /** Absent: A2A is not served over gRPC. */
  readonly grpc?: GrpcConfiguration;
  readonly temporal: TemporalConfiguration;
  readonly storage: { readonly payloadsDirectory: string; readonly artifactsDirectory: string };
  /** Absolute path; `.longhaul` in the working directory unless said. */
  readonly dataDirectory: string;
}

export interface ServiceConfiguration {
  /** Origin and optional path prefix, no trailing slash. */
  readonly publicUrl: string;
  /** `host:port` that callers reach gRPC at; said in `a2a.yaml`, or else made of the public URL and the port. */
  readonly publicGrpc?: string;
  readonly name: string;
  readonly description: string;
  readonly callers: readonly CallerConfiguration[];
  readonly publications: readonly Publication[];
  readonly limits: {
    readonly bodyBytesMax: number;
    /** How long a blocking send waits at the longest. */
    readonly blockingMaxMs: number;
    /** Open tasks, requests and burst of one caller, and runs of all; 0 is none, absent the built-in. */
    readonly tasksOpenMax?: number;
    readonly requestsPerMinuteMax?: number;
    readonly burstMax?: number;
    readonly runsMax?: number;
  };
  /** How long a finished task is shown, and how long its ID is remembered. */
  readonly retention: { readonly terminalMs?: number; readonly tombstoneMs?: number };
  /** What cards are signed with. */
  readonly cardSigningKey?: KeyObject;
  /** When `a2a.yaml` was last written. */
  readonly modifiedAt: Date;
  readonly extensions: readonly ExtensionConfiguration[];
  readonly push: PushConfiguration;
  readonly discovery: 'authenticated' | 'public';
  /** Caller that a request with no credentials counts as; only on loopback. */
  readonly anonymous: string | null;
  /** Publication for messages that name none. */
  readonly defaultSkill: string | null;
}

/** Push notifications (A2A 1.0 §4.3). */
export interface PushConfiguration {
  /** Whether they are offered at all. */
  readonly isEnabled: boolean;
  /** Hosts, with or without a port, and networks that webhooks may be in although they are not public. */
  readonly allowHosts: readonly string[];
  /** For one attempt. */
  readonly timeoutMs: number;
  /** Failures in a row, after which a webhook is parked. */
  readonly attemptsMax: number;
  /** Before the second attempt; doubles from there on. */
  readonly firstRetryMs: number;
  /** How long webhooks are kept when all has been delivered. */
  readonly keepMs: number;
}

/** A2A 1.0 §4.4.4: declared on the card; what it means is for executors. */
export interface ExtensionConfiguration {
  readonly uri: string;
  readonly description?: string;
  /** Requests that do not declare it are refused. */
  readonly required: boolean;
  readonly params?: JsonObject;
}

export interface CallerConfiguration {
  readonly id: string;
  /** That the caller may name in its requests; without one all of them are in no tenant. */
  readonly tenants: readonly string[];
  /** SHA-256 of the token; the token itself is not kept. Absent for the anonymous caller. */
  readonly tokenHash?: Buffer;
}

export interface HttpConfiguration {
  readonly host: string;
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  /** SHA-256 of the operators' token; absent on an open loopback listener. */
  readonly operatorTokenHash?: Buffer;
  /** `A2A_STREAM_HEARTBEAT_MS`, 8000 unless said. */
  readonly streamHeartbeatMs: number;
  /** How long a shutdown waits for requests under way. */
  readonly drainMs: number;
}

export interface GrpcConfiguration {
  readonly host: string;
  readonly port: number;
  /** PEM. Absent: connections are plain. */
  readonly tls?: { readonly certificate: Buffer; readonly key: Buffer };
}

export interface TemporalConfiguration {
  /** Absent: a development server is found or started in the data directory. */
  readonly address?: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** `synchronous` of the development server's database. */
  readonly durability: 'full' | 'normal';
  readonly heartbeatTimeoutMs: number;
  /** Histories that one gateway follows at the same time without taking turns. */
  readonly historyPollsMax: number;
}
