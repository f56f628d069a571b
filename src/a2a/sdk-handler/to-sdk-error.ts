import {
  A2AError,
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { Failure, type FailureKind } from '../../domain/failure.ts';

const CLASS_BY_KIND = {
  'invalid-request': RequestMalformedError,
  'message-conflict': RequestMalformedError,
  'stale-question': RequestMalformedError,
  'task-not-found': TaskNotFoundError,
  'task-not-cancelable': TaskNotCancelableError,
  'push-not-supported': PushNotificationNotSupportedError,
  'unsupported-operation': UnsupportedOperationError,
  'content-type-not-supported': ContentTypeNotSupportedError,
  'extended-card-not-configured': ExtendedAgentCardNotConfiguredError,
  'extension-required': ExtensionSupportRequiredError,
  'version-not-supported': VersionNotSupportedError,
  unauthenticated: A2AError,
  busy: A2AError,
  unavailable: A2AError,
  'payload-too-large': A2AError,
} satisfies Record<FailureKind, new (options: { message: string }) => A2AError>;

/** The SDK tells its client the text of every error, so one that is no `Failure` has none here. */
export function toSdkError(error: unknown): A2AError {
  if (!(error instanceof Failure)) return new A2AError({ message: 'Internal error' });
  return new CLASS_BY_KIND[error.kind]({ message: error.message, metadata: { ...error.metadata } });
}
