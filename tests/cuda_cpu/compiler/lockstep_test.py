# SPDX-License-Identifier: MIT
"""Lanes of one warp that write to shared memory and then read it with nothing in between: by the
letter a race, in practice done in lockstep, on a GPU and here. What is expected is computed warp by
warp in NumPy. The tests with `machine` run on a GPU, too."""

import re

import numpy as np
import pytest
from machines import Gpu

WARPS = 4
T = "const int t = threadIdx.x, lane = t % 32, w = t / 32;"
IN_LOCKSTEP = {
    # The lower half has nothing to write and comes to the sum first.
    "upper half writes": (
        "__shared__ int s[4][32]; if (lane >= 16) s[w][lane] = v;"
        "if (lane < 16) v += s[w][lane + 16];",
        lambda v: np.concatenate([v[:16] + v[16:], v[16:]]),
    ),
    "one lane sums": (
        "__shared__ int s[128]; int x = v; for (int i = 0; i < lane; ++i) x += i; s[t] = x;"
        "if (lane == 0) { v = 0; for (int i = 0; i < 32; ++i) v += s[t + i]; }",
        lambda v: np.concatenate([[(v + np.cumsum(np.arange(32)) - np.arange(32)).sum()], v[1:]]),
    ),
    "one lane writes": (
        "__shared__ int s[4]; if (lane == 31) s[w] = v; v = s[w];",
        lambda v: np.repeat(v[31], 32),
    ),
    "the first of four writes": (
        "__shared__ int s[32]; if (lane % 4 == 3) s[t / 4] = v; v = s[t / 4];",
        lambda v: np.repeat(v[3::4], 4),
    ),
    "last steps of a reduction": (
        "__shared__ int s[4][64]; s[w][lane] = v; s[w][lane + 32] = 2 * v;"
        "s[w][lane] += s[w][lane + 32]; s[w][lane] += s[w][lane + 16];"
        "s[w][lane] += s[w][lane + 8];"
        "s[w][lane] += s[w][lane + 4]; s[w][lane] += s[w][lane + 2]; s[w][lane] += s[w][lane + 1];"
        "v = lane == 0 ? s[w][0] : 0;",
        lambda v: np.concatenate([[3 * v.sum()], np.zeros(31, int)]),
    ),
    "reduction in a loop": (
        "__shared__ int s[160]; s[t] = v; if (t < 32) s[128 + t] = 0;"
        "for (int d = 16; d > 0; d >>= 1) if (lane < d) s[t] += s[t + d]; v = s[t - lane];",
        lambda v: np.repeat(v.sum(), 32),
    ),
    "scan": (
        "__shared__ int s[128]; s[t] = v;"
        "if (lane >= 1) s[t] += s[t - 1]; if (lane >= 2) s[t] += s[t - 2];"
        "if (lane >= 4) s[t] += s[t - 4]; if (lane >= 8) s[t] += s[t - 8];"
        "if (lane >= 16) s[t] += s[t - 16]; v = s[t];",
        np.cumsum,
    ),
    "scan in a loop": (
        "__shared__ int s[128]; s[t] = v;"
        "for (int d = 1; d < 32; d *= 2) if (lane >= d) s[t] += s[t - d]; v = s[t];",
        np.cumsum,
    ),
    "scan without branches": (
        "__shared__ int s[4][64]; s[w][lane] = 0; int *p = &s[w][lane + 32]; *p = v;"
        "*p += *(p - 1); *p += *(p - 2); *p += *(p - 4); *p += *(p - 8); *p += *(p - 16); v = *p;",
        np.cumsum,
    ),
    "scan, and its last by all": (
        "__shared__ int s[128]; s[t] = v; for (int d = 1; d < 32; d *= 2)"
        "if (lane >= d) s[t] += s[t - d]; v = s[t] + s[t - lane + 31];",
        lambda v: np.cumsum(v) + v.sum(),
    ),
    "lanes that leave a loop early": (
        "__shared__ int s[128]; s[t] = v; for (int i = 0; i < lane / 4; ++i) s[t] = s[t ^ 1] + i;"
        "v = s[t - lane + (lane + 9) % 32];",
        lambda v: np.roll([v[i ^ (i // 4 % 2)] + sum(range(i // 4)) for i in range(32)], -9),
    ),
    "butterfly": (
        "__shared__ int s[128]; s[t] = v; for (int d = 16; d > 0; d /= 2) s[t] += s[t ^ d];"
        "v = s[t];",
        lambda v: np.repeat(v.sum(), 32),
    ),
    "transpose": (
        "__shared__ int s[4][32][33]; for (int i = 0; i < 32; ++i) s[w][i][lane] = v * i + lane;"
        "v = 0; for (int i = 0; i < 32; ++i) v += s[w][lane][i] * (i % 5);",
        lambda v: [(np.arange(32) % 5 * (v * i + np.arange(32))).sum() for i in range(32)],
    ),
    "histogram": (
        "__shared__ unsigned s[4][32]; s[w][31 - lane] = 0;"
        "atomicAdd((unsigned *)&s[w][v % 32], 1u); v = s[w][lane];",
        lambda v: np.bincount(v % 32, minlength=32),
    ),
    "rotation in a loop": (
        "__shared__ int s[128]; int x = v; for (int i = 0; i < 5; ++i) { s[t] = v;"
        "v = s[t - lane + (lane + 1) % 32] + x; }",
        lambda v: sum(np.roll(v, -i) for i in range(6)),
    ),
    "through a pointer of the warp": (
        "extern __shared__ int dynamic[]; int *p = dynamic + w * 32; p[31 - lane] = v;v = p[lane];",
        lambda v: v[::-1],
    ),
    "in a function": (
        "__shared__ int s[128]; put((int *)s, t, v); v = get((int *)s, t ^ 1);",
        lambda v: v.reshape(16, 2)[:, ::-1].reshape(32),
    ),
    "a permutation, cleared first": (
        "__shared__ int s[128]; s[t] = -1; s[t - lane + lane * 5 % 32] = v; v = s[t];",
        lambda v: v[np.argsort(np.arange(32) * 5 % 32)],
    ),
    "vectors and numbers": (
        "__shared__ __align__(16) int s[4][128]; ((int4 *)s[w])[31 - lane] = make_int4(v, 1, 2, 3);"
        "v = s[w][lane] + 10 * s[w][127 - lane];",
        lambda v: (lambda all: all[:32] + 10 * all[::-1][:32])(
            np.stack([v[::-1], *(np.full(32, i) for i in (1, 2, 3))], 1).reshape(128)
        ),
    ),
    "odd-even sort": (
        "__shared__ int s[4][33]; s[w][lane] = v; for (int i = 0; i < 32; ++i) {"
        "int a = 2 * lane + i % 2; if (a + 1 < 32 && s[w][a] > s[w][a + 1]) {"
        "int x = s[w][a]; s[w][a] = s[w][a + 1]; s[w][a + 1] = x; } } v = s[w][lane];",
        np.sort,
    ),
    "half a warp writes, and meets by itself": (
        "__shared__ int s[128]; s[t] = 0; __syncthreads();"
        "if (lane >= 16) { s[t] = v; __syncwarp(0xffff0000u); } v = s[t ^ 16];",
        lambda v: np.concatenate([v[16:], np.zeros(16, int)]),
    ),
    "one lane writes before a vote of some": (
        "__shared__ int s[4]; if (lane > 3) { if (lane == 9) s[w] = v;"
        "v = __ballot_sync(0xfffffff0u, v & 1); } v = s[w];",
        lambda v: np.repeat(v[9], 32),
    ),
    "one lane adds for all of a branch": (
        "__shared__ int s[4]; if (lane == 0) s[w] = 0; __syncthreads();"
        "if (lane >= 8) { const unsigned m = __activemask();"
        "if (lane == __ffs(m) - 1) s[w] += __popc(m); __syncwarp(m); } v = s[w];",
        lambda v: np.repeat(24, 32),
    ),
    "some lanes have left": (
        "__shared__ int s[129]; if (lane % 3 == 0) return; s[t] = v; v = s[t + (lane % 3 == 1 ? 1 :"
        " -1)]; if (lane == 31) v = 7;",
        lambda v: [
            v[i] if i % 3 == 0 else 7 if i == 31 else v[i + 1] if i % 3 == 1 else v[i - 1]
            for i in range(32)
        ],
    ),
    "both sides of a branch": (
        "__shared__ int s[128]; if (lane < 8) { s[t] = v; v = s[t ^ 3]; }"
        "else { s[t] = v + 1; v = s[t ^ 4]; }",
        lambda v: [v[i ^ 3] if i < 8 else v[i ^ 4] + 1 for i in range(32)],
    ),
    "loops of different lengths": (
        "__shared__ int s[128]; for (int i = 0; i <= lane; ++i) s[t] = v * i;"
        "v = s[t - lane + 31 - lane];",
        lambda v: (v * np.arange(32))[::-1],
    ),
    "a write and a read by turns": (
        "__shared__ int s[4][16]; int x = 0; for (int i = 0; i < 6; ++i) {"
        "if (lane >= 16) s[w][lane - 16] = v + i * i; if (lane < 16) x += s[w][15 - lane]; }"
        "if (lane < 16) v = x;",
        lambda v: np.concatenate([6 * v[:15:-1] + sum(i * i for i in range(6)), v[16:]]),
    ),
    "half a warp adds, all read": (
        "__shared__ int s[128]; s[t] = v; if (lane < 16) { s[t] += s[t + 16]; s[t] += s[t + 8];"
        "s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; } v = s[t - lane];",
        lambda v: np.repeat(v.sum(), 32),
    ),
    "scan by steps, its last by all": (
        "__shared__ int s[128]; s[t] = v;"
        "if (lane >= 1) s[t] += s[t - 1]; if (lane >= 2) s[t] += s[t - 2];"
        "if (lane >= 4) s[t] += s[t - 4]; if (lane >= 8) s[t] += s[t - 8];"
        "if (lane >= 16) s[t] += s[t - 16]; v = s[t - lane + 31];",
        lambda v: np.repeat(v.sum(), 32),
    ),
    "a leader writes": (
        "__shared__ int s[4]; unsigned m = __ballot_sync(~0u, lane % 5 == 4);"
        "if (lane == 31 - __clz(m)) s[w] = v + __popc(m); v = s[w];",
        lambda v: np.repeat(v[29] + 6, 32),
    ),
    "one lane ends the loop of all": (
        "__shared__ int s[4]; if (lane == 0) s[w] = 1; __syncthreads(); int n = 0;"
        "while (s[w]) { if (lane == 0) s[w] = n < 3; n++; } v += n;",
        lambda v: v + 4,
    ),
    "all read, then one lane writes": (
        "__shared__ int s[4]; int x = 0; if (lane == 0) s[w] = 0; for (int i = 0; i < 4; ++i) {"
        "x += s[w]; if (lane == 0) s[w] = i + 1; } v += x;",
        lambda v: v + 6,
    ),
    "all read, then all write": (
        "__shared__ int s[4]; int x = 0; s[w] = 0; for (int i = 0; i < 4; ++i) {"
        "x += s[w]; s[w] = i + 1; } v += x;",
        lambda v: v + 6,
    ),
    "in a function behind a pointer": (
        "__shared__ int s[128]; table[v < 0]((int *)s, t, v); v = s[t - lane + 31 - lane];",
        lambda v: v[::-1],
    ),
}
# Of the others NVRTC's code keeps what a lane has written in a register, and so misses what another
# lane writes (measured on an H200): there a program has to say `volatile`, and then all give what
# is expected (measured on an H100).
AS_WELL_ON_A_GPU = (
    "one lane sums",
    "the first of four writes",
    "lanes that leave a loop early",
    "butterfly",
    "transpose",
    "histogram",
    "rotation in a loop",
    "through a pointer of the warp",
    "in a function",
    "a permutation, cleared first",
    "vectors and numbers",
    "odd-even sort",
    "all read, then all write",
    "in a function behind a pointer",
)
# Right by the letter: nobody has to wait for anybody but at their own barriers.
WITH_BARRIERS = {
    "tree, halves": (
        "float* o, const float* in",
        """extern __shared__ float s[]; unsigned t=threadIdx.x; s[t]=in[t]; __syncthreads();
        for (unsigned d=blockDim.x/2; d>0; d>>=1){ if (t<d) s[t]+=s[t+d]; __syncthreads(); }
        if (t==0) o[0]=s[0];""",
    ),
    "tree, neighbours": (
        "float* o, const float* in",
        """extern __shared__ float s[]; unsigned t=threadIdx.x; s[t]=in[t]; __syncthreads();
        for (unsigned d=1; d<blockDim.x; d*=2){ if (t%(2*d)==0) s[t]+=s[t+d];
        __syncthreads(); } if (t==0) o[0]=s[0];""",
    ),
    "scan by two trees": (
        "float* o, const float* in, int n",
        """extern __shared__ float temp[]; int t=threadIdx.x; int off=1; temp[2*t]=in[2*t];
        temp[2*t+1]=in[2*t+1]; for (int d=n>>1; d>0; d>>=1){ __syncthreads(); if (t<d){ int
        ai=off*(2*t+1)-1, bi=off*(2*t+2)-1; temp[bi]+=temp[ai]; } off*=2; } if (t==0)
        temp[n-1]=0; for (int d=1; d<n; d*=2){ off>>=1; __syncthreads(); if (t<d){ int
        ai=off*(2*t+1)-1, bi=off*(2*t+2)-1; float x=temp[ai]; temp[ai]=temp[bi];
        temp[bi]+=x; } } __syncthreads(); o[2*t]=temp[2*t]; o[2*t+1]=temp[2*t+1];""",
    ),
    "scan in two buffers": (
        "float* o, const float* in, int n",
        """extern __shared__ float temp[]; int t=threadIdx.x; int pout=0,pin=1;
        temp[pout*n+t]=(t>0)?in[t-1]:0; __syncthreads(); for (int d=1; d<n; d*=2){
        pout=1-pout; pin=1-pout; if (t>=d) temp[pout*n+t]=temp[pin*n+t]+temp[pin*n+t-d];
        else temp[pout*n+t]=temp[pin*n+t]; __syncthreads(); } o[t]=temp[pout*n+t];""",
    ),
    "bitonic sort": (
        "int* o",
        """__shared__ int s[512]; unsigned t=threadIdx.x; s[t]=o[t]; __syncthreads(); for
        (unsigned k=2;k<=512;k*=2) for (unsigned j=k/2;j>0;j/=2){ unsigned ixj=t^j; if
        (ixj>t){ bool up=(t&k)==0; if ((s[t]>s[ixj])==up){ int x=s[t]; s[t]=s[ixj];
        s[ixj]=x; } } __syncthreads(); } o[t]=s[t];""",
    ),
    "transpose": (
        "float* o, const float* in, int w",
        """__shared__ float tile[32][33]; int x=blockIdx.x*32+threadIdx.x,
        y=blockIdx.y*32+threadIdx.y; for (int j=0;j<32;j+=8)
        tile[threadIdx.y+j][threadIdx.x]=in[(y+j)*w+x]; __syncthreads(); for (int
        j=0;j<32;j+=8) o[(y+j)*w+x]=tile[threadIdx.x][threadIdx.y+j];""",
    ),
    "two buffers": (
        "float* C, const float* A, const float* B, int n",
        """__shared__ float As[2][16][16], Bs[2][16][16]; int tx=threadIdx.x, ty=threadIdx.y;
        int cur=0; float acc=0; As[0][ty][tx]=A[ty*n+tx]; Bs[0][ty][tx]=B[ty*n+tx];
        __syncthreads(); for (int k0=16;k0<=n;k0+=16){ int nxt=cur^1; if (k0<n){
        As[nxt][ty][tx]=A[ty*n+k0+tx]; Bs[nxt][ty][tx]=B[(k0+ty)*n+tx]; } for (int
        i=0;i<16;i++) acc+=As[cur][ty][i]*Bs[cur][i][tx]; __syncthreads(); cur=nxt; }
        C[ty*n+tx]=acc;""",
    ),
    "two buffers, the other": (
        "float* C, const float* A, const float* B, int n",
        """__shared__ float As[2][16][16], Bs[2][16][16]; int tx=threadIdx.x, ty=threadIdx.y;
        int cur=0; float acc=0; As[0][ty][tx]=A[ty*n+tx]; Bs[0][ty][tx]=B[ty*n+tx];
        __syncthreads(); for (int k0=16;k0<=n;k0+=16){ int nxt=1-cur; if (k0<n){
        As[nxt][ty][tx]=A[ty*n+k0+tx]; Bs[nxt][ty][tx]=B[(k0+ty)*n+tx]; } for (int
        i=0;i<16;i++) acc+=As[cur][ty][i]*Bs[cur][i][tx]; __syncthreads(); cur=nxt; }
        C[ty*n+tx]=acc;""",
    ),
    "two buffers by parity": (
        "float* C, const float* A, int n",
        """__shared__ float As[2][256]; int t=threadIdx.x; float acc=0; As[0][t]=A[t];
        __syncthreads(); for (int i=0;i<n;i++){ if (i+1<n) As[(i+1)%2][t]=A[(i+1)*256+t];
        for (int j=0;j<256;j++) acc+=As[i%2][j]; __syncthreads(); } C[t]=acc;""",
    ),
    "pieces of dynamic memory": (
        "float* o, const float* in, int n, int m",
        """extern __shared__ float sm[]; float* a=sm; float* b=sm+n; int t=threadIdx.x;
        b[t]=in[t]; __syncthreads(); a[t]=in[t+m]; float x=0; for(int i=0;i<n;i++) x+=b[i];
        __syncthreads(); o[t]=x+a[t^1];""",
    ),
    "one lane goes on alone": (
        "float* o, const float* in",
        """__shared__ float s[33]; int t=threadIdx.x; s[t]=in[t]; __syncthreads(); if (t==0){
        for (int i=1;i<32;i++) s[i]+=s[i-1]; } __syncthreads(); o[t]=s[t];""",
    ),
    "one lane of a square": (
        "float* o, const float* in",
        """__shared__ float s[33]; int t=threadIdx.x+threadIdx.y*blockDim.x; s[t]=in[t];
        __syncthreads(); if (threadIdx.x==0 && threadIdx.y==0){ for (int i=1;i<32;i++)
        s[i]+=s[i-1]; } __syncthreads(); o[t]=s[t];""",
    ),
    "rows of their own": (
        "float* o, const float* in, int n",
        """__shared__ float s[64][9]; int t=threadIdx.x; for(int i=0;i<8;i++)
        s[t][i]=in[i*n+t]; float a=0; for (int i=0;i<8;i++) for (int j=0;j<8;j++)
        a+=s[t][i]*s[t][j]; o[t]=a;""",
    ),
    "blocks of their own": (
        "float* o, const float* in, int n",
        """__shared__ float s[64*8]; int t=threadIdx.x; for(int i=0;i<8;i++)
        s[t*8+i]=in[i*n+t]; float a=0; for (int i=0;i<8;i++) for (int j=0;j<8;j++)
        a+=s[t*8+i]*s[t*8+j]; o[t]=a;""",
    ),
    "columns of their own": (
        "float* o, const int* in, int n",
        """__shared__ int s[64*8]; int t=threadIdx.x; for(int i=0;i<8;i++) s[t+64*i]=0; for
        (int i=0;i<n;i++) s[(in[i*64+t]&7)*64+t]++; int a=0; for (int i=0;i<8;i++)
        a+=s[i*64+t]*i; o[t]=a;""",
    ),
    "columns of a block": (
        "float* o, const int* in, int n",
        """__shared__ int s[1024]; int t=threadIdx.x; for(int i=0;i<8;i++) s[t+blockDim.x*i]=0;
        for (int i=0;i<n;i++) s[(in[i*blockDim.x+t]&7)*blockDim.x+t]++; int a=0; for (int
        i=0;i<8;i++) a+=s[i*blockDim.x+t]*i; o[t]=a;""",
    ),
    "stacks": (
        "int* o, const int* in, int n",
        """__shared__ int st[16*128]; int t=threadIdx.x; int sp=0; st[t]=0; sp=1; int c=0;
        while(sp>0){ --sp; int v=st[sp*128+t]; c+=v; if (in[v]>0){ st[sp*128+t]=in[v]; sp++;
        st[sp*128+t]=in[v+1]; sp++; } } o[t]=c;""",
    ),
    "factorisation": (
        "float* a, int n",
        """__shared__ float s[16][16]; int tx=threadIdx.x; for(int i=0;i<16;i++)
        s[i][tx]=a[i*n+tx]; __syncthreads(); for (int i=0;i<15;i++){ if (tx>i){ for (int
        j=0;j<i;j++) s[tx][i]-=s[tx][j]*s[j][i]; s[tx][i]/=s[i][i]; } __syncthreads(); if
        (tx>i){ for (int j=0;j<i+1;j++) s[i+1][tx]-=s[i+1][j]*s[j][tx]; } __syncthreads(); }
        for(int i=1;i<16;i++) a[i*n+tx]=s[i][tx];""",
    ),
    "stencil": (
        "float* o, const float* in, int n",
        """__shared__ float s[256+6]; int t=threadIdx.x, g=blockIdx.x*256+t; s[t+3]=in[g]; if
        (t<3){ s[t]=g>=3?in[g-3]:0; s[t+259]=g+256<n?in[g+256]:0; } __syncthreads(); float
        a=0; for(int i=-3;i<=3;i++) a+=s[t+3+i]; o[g]=a;""",
    ),
    "steps of a stencil": (
        "float* o, const float* in, int it",
        """__shared__ float a[16][16], b[16][16]; int tx=threadIdx.x, ty=threadIdx.y;
        a[ty][tx]=in[ty*16+tx]; __syncthreads(); for (int i=0;i<it;i++){ bool c=false; if
        (tx>i && tx<15-i && ty>i && ty<15-i){ c=true;
        b[ty][tx]=a[ty-1][tx]+a[ty+1][tx]+a[ty][tx-1]+a[ty][tx+1]; } __syncthreads(); if
        (i==it-1) break; if (c) a[ty][tx]=b[ty][tx]; __syncthreads(); }
        o[ty*16+tx]=b[ty][tx];""",
    ),
    "histogram": (
        "unsigned* o, const unsigned char* in, int n",
        """__shared__ unsigned h[256]; for(int i=threadIdx.x;i<256;i+=blockDim.x) h[i]=0;
        __syncthreads(); for(int
        i=blockIdx.x*blockDim.x+threadIdx.x;i<n;i+=blockDim.x*gridDim.x)
        atomicAdd(&h[in[i]],1u); __syncthreads(); for(int i=threadIdx.x;i<256;i+=blockDim.x)
        atomicAdd(&o[i],h[i]);""",
    ),
    "a sync of whole warps": (
        "int* o, const int* in, int n",
        """__shared__ int s[64]; int t=threadIdx.x; if (t<64) { s[t]=in[t]; __syncwarp(); }
        if (t<64) o[t]=s[t^1];""",
    ),
    "the first warp sums": (
        "float* o, const float* in, int n",
        """__shared__ float s[32]; int t=threadIdx.x; float v=in[t]; for(int d=16;d>0;d/=2)
        v+=__shfl_down_sync(~0u,v,d); if(t%32==0) s[t/32]=v; __syncthreads();
        if(t<32) { v=t<n?s[t]:0; for(int d=16;d>0;d/=2) v+=__shfl_down_sync(~0u,v,d);
        if(t==0) s[0]=v; } __syncthreads(); o[t]=s[0];""",
    ),
    "accumulators": (
        "float* o, const float* in, int n",
        """__shared__ float s[256]; int t=threadIdx.x; s[t]=0; for(int i=t;i<n;i+=256)
        s[t]+=in[i]; s[t]*=2; __syncthreads(); o[t]=s[255-t];""",
    ),
}
SHAPES = {"row": (128,), "rows of 16": (16, 8), "cube": (4, 8, 4)}
MODES = {"regions": (), "fibers": ("--treadle-fibers",), "no optimisation": ("-G",)}


def kernel_text(statements, number_of_thread="threadIdx.x"):
    return f"""
    __device__ void put(int *s, int at, int v) {{ s[at] = v; }}
    __device__ int get(int *s, int at) {{ return s[at]; }}
    __device__ void put_more(int *s, int at, int v) {{ s[at] = v + 1; }}
    __device__ void (*table[])(int *, int, int) = {{put, put_more}};
    extern "C" __global__ void k(int *a) {{
      const int t = {number_of_thread}, lane = t % 32, w = t / 32;
      int v = a[t]; {{ {statements} }} a[t] = v; }}"""


def with_volatile(statements):
    """As it was written when lockstep was what CUDA promised."""
    statements = statements.replace("__shared__ ", "__shared__ volatile ")
    return re.sub(r"(?<!\()int \*", "volatile int *", statements)


def warps():
    return np.random.default_rng(5).integers(1, 1000, (WARPS, 32), dtype=np.int32)


def in_mode(device, mode, text, values, block):
    out = values.copy()
    kernel = device.compile(text, *MODES[mode]).kernel()
    device.check("treadle_cpu_run_on_fibers", int(mode == "fibers"))
    try:
        kernel(out, block=block, shared=512)
    finally:
        device.check("treadle_cpu_run_on_fibers", 0)
    return out


def expect(machine_values, values, compute, name):
    for warp, (found, own) in enumerate(zip(machine_values, values, strict=True)):
        expected = np.asarray(compute(own))
        assert found.tolist() == expected.tolist(), f"{name}, warp {warp} of {own.tolist()}"


@pytest.mark.parametrize("spelled", (str, with_volatile))
@pytest.mark.parametrize("name", IN_LOCKSTEP)
def test_lanes_of_a_warp_write_and_read_in_lockstep(machine, name, spelled):
    if isinstance(machine, Gpu) and spelled is str and name not in AS_WELL_ON_A_GPU:
        pytest.skip("its compiler keeps the value in a register")
    statements, compute = IN_LOCKSTEP[name]
    statements = spelled(statements)
    values = warps()
    out = values.copy()
    # What runs both launches without dynamic shared memory.
    statements = re.sub(
        r"extern __shared__ (.*?)int dynamic\[\]", r"__shared__ \1int dynamic[128]", statements
    )
    machine.compile(kernel_text(statements)).kernel("k")(out, block=(128,), grid=(1,))
    expect(out, values, compute, name)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", IN_LOCKSTEP)
def test_with_volatile_in_every_mode(device, name, mode):
    statements, compute = IN_LOCKSTEP[name]
    values = warps()
    out = in_mode(device, mode, kernel_text(with_volatile(statements)), values, block=(128,))
    expect(out, values, compute, name)


def test_with_volatile_one_lane_wins(machine):
    """All write to one place, and each reads who was last there."""
    statements = "__shared__ volatile int s[4]; s[w] = lane; v = s[w] == lane;"
    out = warps()
    machine.compile(kernel_text(statements)).kernel("k")(out, block=(128,), grid=(1,))
    assert out.sum(axis=1).tolist() == [1] * WARPS


def test_with_volatile_an_update_by_all_counts_once(machine):
    statements = (
        "__shared__ volatile int s[4]; s[w] = 0; __syncthreads(); s[w] = s[w] + 1; v = s[w];"
    )
    out = warps()
    machine.compile(kernel_text(statements)).kernel("k")(out, block=(128,), grid=(1,))
    assert (out == 1).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", IN_LOCKSTEP)
def test_in_blocks_of_every_shape_and_in_every_mode(device, name, mode, shape):
    statements, compute = IN_LOCKSTEP[name]
    values = warps()
    number = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)"
    out = in_mode(device, mode, kernel_text(statements, number), values, block=SHAPES[shape])
    expect(out, values, compute, name)


def test_a_block_of_one_warp_gives_2080(machine):
    source = """extern "C" __global__ void k(int *o) {
      __shared__ int s[16]; const int t = threadIdx.x;
      if (t < 16) { int v = 0; for (int i = 1; i <= 4; ++i) v += 4 * t + i; s[t] = v; }
      if (t == 0) { int sum = 0; for (int i = 0; i < 16; ++i) sum += s[i]; o[0] = sum; } }"""
    out = np.zeros(1, np.int32)
    machine.compile(source).kernel("k")(out, block=(32,), grid=(1,))
    assert out[0] == 2080


@pytest.mark.parametrize("name", WITH_BARRIERS)
def test_kernels_that_are_right_by_the_letter_get_no_more_barriers(device, name):
    parameters, statements = WITH_BARRIERS[name]
    source = f'extern "C" __global__ void k({parameters}) {{ {statements} }}'
    printed = "--treadle-print-after="
    log = device.compile_log(source, printed + "kernel-bodies", printed + "lockstep")
    before, after = log.split("; lockstep\n")
    barriers = "call void @__treadle_barrier"
    assert before.count(barriers) == after.count(barriers)


@pytest.mark.parametrize("threads, barriers", [(1, 0), (2, 1)])
def test_a_thread_that_is_alone_in_its_block_meets_nobody(device, threads, barriers):
    source = f"""extern "C" __global__ void __launch_bounds__({threads}) k(int *o) {{
      __shared__ int s[4]; s[threadIdx.x] = o[threadIdx.x]; o[threadIdx.x] = s[o[4]]; }}"""
    log = device.compile_log(source, "--treadle-print-after=lockstep")
    assert log.count("call void @__treadle_barrier") == barriers
