import type { InterceptingListener, Interceptor, Metadata } from '@grpc/grpc-js';
import { InterceptingCall, Metadata as GrpcMetadata, status } from '@grpc/grpc-js';

type NextCall = ConstructorParameters<typeof InterceptingCall>[0];

/**
 * A call on a closed connection fails as a call. The SDK's retries wait in a timer, and when the connection has been
 * closed meanwhile grpc-js throws in that timer, which ends the process (client 1.23, grpc-js 1.14).
 */
export const guardClosedChannel: Interceptor = (options, nextCall) => {
  try {
    return new InterceptingCall(nextCall(options));
  } catch (error) {
    return new InterceptingCall(failedCall(error instanceof Error ? error.message : String(error)));
  }
};

function failedCall(details: string): NextCall {
  const nothing = (): void => undefined;
  return {
    start(_metadata: Metadata, listener?: Partial<InterceptingListener>) {
      // CANCELLED is a code that is not retried.
      listener?.onReceiveStatus?.({ code: status.CANCELLED, details, metadata: new GrpcMetadata() });
    },
    cancelWithStatus: nothing,
    getPeer: () => 'closed',
    sendMessageWithContext: nothing,
    sendMessage: nothing,
    startRead: nothing,
    halfClose: nothing,
    getAuthContext: () => null,
  };
}
